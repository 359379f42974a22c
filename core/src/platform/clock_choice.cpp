// SPDX-License-Identifier: MIT
#include "platform/clock_choice.hpp"

namespace detent::detail {

clock_choice choose_clock(const engine_options& options, const char* source_file) noexcept {
  if (options.manual != nullptr || options.clock == clock_kind::steady) return {nullptr, clock_reason::none};
  tsc_clock* const tsc = tsc_clock::shared();
  if (options.clock == clock_kind::tsc) return {tsc, clock_reason::none};
  if (tsc == nullptr) return {nullptr, clock_reason::not_invariant};
  const clock_reason why = tsc->is_given_up() ? clock_reason::given_up : judge_clock_source(source_file);
  return {why == clock_reason::none ? tsc : nullptr, why};
}

}  // namespace detent::detail
