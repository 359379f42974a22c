// SPDX-License-Identifier: MIT
// The functions of trigger.hpp, compiled where a pass and an interlude use them.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/trigger.hpp"

#include "callers/cancel.hpp"
#include "callers/run_steps.hpp"

#include <algorithm>
#include <utility>

namespace detent::detail {

template <class Agenda, class Settle>
DETENT_ALWAYS_INLINE inline bool trigger::fire_next(Agenda& from, nanoseconds_t& now, Settle&& settle) {
  due_entry due;
  if (!from.pop(due)) return false;
  node& next = core_.node_at(due.index);
  std::uint64_t word = observe(next.pair);
  for (;;) {
    if (state_word::state(word) == timer_state::cancelled) [[unlikely]] {
      from.drop_if_cancelled(due.index, next);
      return false;
    }
    DETENT_CHECK(state_word::state(word) == timer_state::armed);
    const nanoseconds_t deadline = deadline_of(next.pair);
    if (!from.is_as_due(due, word, deadline)) [[unlikely]] {
      settle(due, next);
      return false;
    }
    const step done = fire_armed(from, due, next, word, deadline, now);
    if (done != step::again) return done == step::fired;
  }
}

// Inlined, because after a sleep each line of code that this runs must come from memory.
DETENT_ALWAYS_INLINE inline bool trigger::fire_awaited(awaited_timer& awaited, nanoseconds_t now) {
  std::uint64_t word = awaited.word;
  if (start_armed(awaited.timer->pair, word, awaited.deadline) == transition::lost) [[unlikely]]
    return false;
  drive_.pass_now = now;
  drive_.split.looked(now);
  node& next = *std::exchange(awaited.timer, nullptr);
  run_as<run_kind::straight, end_reading::first>(
      core_, *drive_.record, {awaited.index, next, awaited.word, awaited.deadline}, now, arrival(drive_.split, 0));
  drive_.split.looked_again(now);
  return true;
}

// Tries again: another thread has changed `word` in between.
template <class Agenda>
DETENT_ALWAYS_INLINE inline trigger::step trigger::fire_armed(Agenda& from, const due_entry& due, node& next,
                                                              std::uint64_t& word, nanoseconds_t deadline,
                                                              nanoseconds_t& now) {
  next.placed = drive_.pass;  // not again in this pass, even if it is re-armed
  if (core_.runs_straight && (word & state_word::cold) == 0) [[likely]] {
    const std::uint64_t armed = word;
    if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
      return step::again;
    run_as<run_kind::straight>(core_, *drive_.record, {due.index, next, armed, deadline}, now,
                               arrival(drive_.split, due.taken_up));
    drive_.split.looked_again(now);
    return step::fired;
  }
  // It came due at the end of time, and its group was paused since, so its time is the same. No other member is like
  // this.
  if (due.deadline == forever && !core_.nodes.is_due_by(forever, due.index, word, forever)) [[unlikely]] {
    from.place_again(due.index, next, word, Agenda::entering::pass);
    return step::nothing;
  }
  if (core_.runs_straight && (word & state_word::periodic) != 0)
    return fire_period(from, due, next, word, deadline, now);
  return core_.runs_inline ? fire_inline(due, next, word, deadline, now)
                           : hand_over(from, due, next, word, deadline, now);
}

// For a periodic timer, in an engine that runs_straight.
template <class Agenda>
trigger::step trigger::fire_period(Agenda& from, const due_entry& due, node& next, std::uint64_t& word,
                                   nanoseconds_t deadline, nanoseconds_t& now) {
  if (!has_plain_period(core_, due.index)) return fire_inline(due, next, word, deadline, now);
  group_run in_group;
  if (!begin_in_group(core_, in_group, due.index, word)) return step::nothing;
  const std::uint64_t armed = word;
  if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
    return step::again;
  run_as<run_kind::period>(
      core_, *drive_.record, {due.index, next, armed, due.deadline}, now, arrival(drive_.split, due.taken_up),
      [&](node_index index, node& again) { from.insert_again(index, again, observe(again.pair), keeps_order()); });
  drive_.split.looked_again(now);
  return step::fired;
}

template <class Agenda>
trigger::step trigger::hand_over(Agenda& from, const due_entry& due, node& next, std::uint64_t& word,
                                 nanoseconds_t deadline, nanoseconds_t& now) noexcept {
  now = std::max(now, drive_.higher_now);  // as in fire_inline()
  if ((word & state_word::cold) != 0) {
    if (is_cancelled_in_group(core_, due.index)) {
      cancel(core_, due.index, state_word::generation(word), false);
      return step::nothing;
    }
    group_state* const group = core_.nodes.group_of(due.index);
    if (group != nullptr && !groups_end::is_in_order(*group)) {  // it may overtake others
      groups_.sweep_soon(*group);
      from.insert_again(due.index, next, observe(next.pair), false);
      return step::nothing;
    }
    // It is too stale already: no executor hears of it, and it is dropped here.
    const cold_node& cold = core_.cold_at(due.index);
    if ((word & state_word::periodic) == 0 && cold.stale == stale_policy::drop &&
        subtract_saturated(now, due.deadline) > cold.max_lateness) [[unlikely]]
      return fire_inline(due, next, word, deadline, now);
    next.previous = due.order;  // for a recall
  }
  const std::uint32_t count = ++hand_overs_ & state_word::order_mask;
  if (detail::hand_over(next.pair, word, deadline, count) == transition::lost) return step::again;
  outbox_.add(due, word, late_at_hand_over(due, now));
  // One by one in poll(): an executor may run each at once, and what that cancels or arms counts for the next.
  if (drive_.polling) outbox_.flush();
  if (outbox_.empty()) {
    now = core_.time.certain();  // the hand-over may have taken long
    drive_.split.looked_again(now);
  }
  return step::fired;
}

}  // namespace detent::detail
