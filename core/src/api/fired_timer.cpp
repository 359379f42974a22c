// SPDX-License-Identifier: MIT
#include <detent/executor.hpp>

#include "callers/cancel.hpp"
#include "callers/run_steps.hpp"

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
  core_->counts.let_go();
  core_->drop_reference();
}

void fired_timer::operator()() noexcept {
  detail::engine_core* core = std::exchange(core_, nullptr);
  if (core == nullptr) return;
  if (!detail::run_handed_over(*core, index_, word_, order_, late_)) core->counts.let_go();
  core->drop_reference();
}

// `read` of a node that is still this timer's after it, else nothing. Between two looks, as a stale handle reads.
template <class Value, class Read>
Value fired_timer::of_this(Value nothing, Read&& read) const noexcept {
  if (core_ == nullptr) return nothing;
  const auto is_this = [this](std::uint64_t word) {
    return detail::state_word::generation(word) == detail::state_word::generation(word_);
  };
  const detail::timer_pair& pair = core_->node_at(index_).pair;
  if (!is_this(detail::observe(pair))) return nothing;
  Value found = read();
  return is_this(detail::observe(pair)) ? found : nothing;
}

// Does what of_this() does for a value in the cold part.
template <class Value, class Read>
Value fired_timer::of_cold(Value nothing, Read&& read) const noexcept {
  if ((word_ & detail::state_word::cold) == 0) return nothing;
  return of_this(nothing, [&] { return read(core_->cold_at(index_)); });
}

std::uint64_t fired_timer::tag() const noexcept {
  return of_cold(std::uint64_t{0}, [](const detail::cold_node& cold) { return cold.tag(); });
}

label fired_timer::label() const noexcept {
  return of_cold(detent::label(), [this](const detail::cold_node& cold) { return core_->labels.named(cold.label()); });
}

std::uint8_t fired_timer::lane() const noexcept {
  return of_cold(std::uint8_t{0}, [](const detail::cold_node& cold) { return cold.lane(); });
}

const void* fired_timer::group() const noexcept {
  return of_cold(static_cast<const void*>(nullptr),
                 [](const detail::cold_node& cold) -> const void* { return cold.group(); });
}

time_point fired_timer::deadline() const noexcept {
  return of_this(time_point(), [this] {
    return detail::to_time(
        detail::deadline_of(*core_, index_, detail::state_word::generation(word_)).value_or(detail::nanoseconds_t{0}));
  });
}

}  // namespace detent
