// SPDX-License-Identifier: MIT
#include <detent/executor.hpp>

#include "callers/run.hpp"

namespace detent {

fired_timer::fired_timer(detail::engine_core& core, std::uint32_t index, std::uint64_t word, std::uint32_t order,
                         const detail::lateness_parts& late) noexcept
    : core_(&core), word_(word), index_(index), order_(order), late_(late) {
  core.add_reference();
}

fired_timer& fired_timer::operator=(fired_timer&& other) noexcept {
  fired_timer taken(std::move(other));
  std::swap(core_, taken.core_);
  std::swap(word_, taken.word_);
  std::swap(index_, taken.index_);
  std::swap(order_, taken.order_);
  std::swap(late_, taken.late_);
  return *this;
}

fired_timer::~fired_timer() {
  if (core_ == nullptr) return;
  detail::drop_handed_over(*core_, index_, word_);
  core_->drop_reference();
}

void fired_timer::operator()() noexcept {
  detail::engine_core* core = std::exchange(core_, nullptr);
  if (core == nullptr) return;
  detail::run_handed_over(*core, index_, word_, order_, late_);
  core->drop_reference();
}

}  // namespace detent
