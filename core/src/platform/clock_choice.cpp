// SPDX-License-Identifier: MIT
#include "platform/clock_choice.hpp"

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#endif

namespace detent::detail {
namespace {

// Returns `none` if steady_clock is read from the TSC, and otherwise why that is not so or not known.
#if defined(DETENT_GROUND_LINUX)
clock_reason judge_clock_source(const char* file) noexcept {
  const int descriptor = ::open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return clock_reason::unknown_source;
  char text[64];
  ssize_t got = 0;
  do got = ::read(descriptor, text, sizeof text);
  while (got < 0 && errno == EINTR);
  ::close(descriptor);
  if (got <= 0) return clock_reason::unknown_source;
  return std::string_view(text, static_cast<std::size_t>(got)) == "tsc\n" ? clock_reason::none
                                                                          : clock_reason::other_source;
}
#else
clock_reason judge_clock_source(const char*) noexcept { return clock_reason::unknown_source; }
#endif

}  // namespace

clock_choice choose_clock(const engine_options& options, const char* source_file) noexcept {
  if (options.manual != nullptr || options.clock == clock_kind::steady) return {nullptr, clock_reason::none};
  tsc_clock* const tsc = tsc_clock::shared();
  if (options.clock == clock_kind::tsc) return {tsc, clock_reason::none};
  if (tsc == nullptr) return {nullptr, clock_reason::not_invariant};
  const clock_reason why = tsc->is_given_up() ? clock_reason::given_up : judge_clock_source(source_file);
  return {why == clock_reason::none ? tsc : nullptr, why};
}

}  // namespace detent::detail
