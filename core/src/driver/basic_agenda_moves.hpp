// SPDX-License-Identifier: MIT
// The functions of basic_agenda.hpp that are not inlined.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/basic_agenda.hpp"

#include <optional>

namespace detent::detail {

template <class Wheel, class Due>
DETENT_NOINLINE void basic_agenda<Wheel, Due>::insert_cold(node_index index, node& armed, std::uint64_t word,
                                                           bool in_order) noexcept {
  if (nodes_.group_of(index) != nullptr) groups_.enrol(index, word);
  const nanoseconds_t deadline = deadline_of(armed.pair);
  if (joins_pass(index, armed, word, nodes_.due_time(index, word, deadline))) return;
  filing placed = nodes_.filing_of(index, word, deadline);
  placed.in_order &= in_order;
  wheel_.insert(index, armed, placed);
}

template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::insert_again(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept {
  filing placed = nodes_.filing_of(index, word, deadline_of(armed.pair));
  placed.in_order &= in_order;
  wheel_.insert(index, armed, placed);
}

template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::accept(node_index index, node& submitted, std::uint32_t generation,
                                      bool in_order) noexcept {
  switch (take_up(submitted.pair, generation)) {
    case take_up_result::armed: return insert(index, submitted, observe(submitted.pair), in_order);
    case take_up_result::moved:
      if constexpr (is_bulk) {
        if (wheel_.is_in_due_set(submitted)) [[unlikely]] {
          split_sets(wheel_.due().time_of(submitted));
          if (submitted.location == nowhere)
            return;  // another thread has cancelled it, and split_sets() has dropped it
        }
      }
      if (submitted.location == in_due_queue) {
        // An entry of its old deadline would come too late. One of a later time finds the new deadline by itself.
        if (place_if_due(index, submitted, observe(submitted.pair), entering::pass)) return;
        submitted.location = nowhere;  // paused, perhaps, so that only the wheel can have it: that entry is stale now
      } else {
        wheel_.unlink(submitted);
      }
      return insert(index, submitted, observe(submitted.pair), false);
    case take_up_result::current:
    case take_up_result::stale: return;
  }
}

// In the due queue or a due set its time is not before that place, which accept() ensures: it finds the new one there.
template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::refile(node_index index, node& member, std::uint64_t word) noexcept {
  if (state_word::state(word) != timer_state::armed || member.location >= in_due_queue) return;
  if constexpr (is_bulk) {
    if (wheel_.is_in_due_set(member)) return;
  }
  wheel_.unlink(member);
  wheel_.insert(index, member, {.time = nodes_.filing_time(index, member), .in_order = false});
}

template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::reap(node_index index, node& cancelled) noexcept {
  // A node that is due is freed when its turn comes.
  if (cancelled.location == in_due_queue) return;
  if constexpr (is_bulk) {
    if (wheel_.is_in_due_set(cancelled)) return;
  }
  if (cancelled.location != nowhere) wheel_.unlink(cancelled);
  free_node(core_, *drive_.record, index, cancelled);
}

// Puts it into the due queue if it is due. The deadline is read once, because a restart could change it between two
// reads. Returns false if it is not due, or there is no memory.
template <class Wheel, class Due>
bool basic_agenda<Wheel, Due>::place_if_due(node_index index, node& armed, std::uint64_t word, entering how) noexcept {
  const nanoseconds_t deadline = deadline_of(armed.pair);
  const nanoseconds_t due = nodes_.due_time(index, word, deadline);
  if (!nodes_.is_due_by(reached(), index, word, due)) return false;
  std::uint32_t order = state_word::order(word);
  // It was restarted in its place. A timer that its thread armed before may still wait in the queue. So when its turn
  // comes it counts as armed again, and is settled then.
  if ((word & state_word::moved) != 0 && how != entering::settled) [[unlikely]]
    order = (order - 1) & state_word::order_mask;
  if (!enter(index, armed, due, order, how == entering::batch)) return false;
  if constexpr (is_bulk) {
    if (how != entering::batch && wheel_.has_due_set()) [[unlikely]]
      split_sets(due);
  }
  return true;
}

// Returns false if there is no memory.
template <class Wheel, class Due>
DETENT_ALWAYS_INLINE inline bool basic_agenda<Wheel, Due>::enter(node_index index, node& due, nanoseconds_t time,
                                                                 std::uint32_t order, bool collects) noexcept {
  const due_entry entry{.deadline = time,
                        .order = order,
                        .index = index,
                        .placed = drive_.newest_entry.next_entry(),
                        .taken_up = drive_.split.taken_up(due.placed, time)};
  bool entered = false;
  if constexpr (is_bulk) {
    entered = collects ? due_.collect(entry) : due_.insert(entry);
  } else {
    const std::uint8_t lane = nodes_.cold(index).lane();
    entered = collects ? due_.collect(lane, entry) : due_.insert(lane, entry);
  }
  if (!entered) [[unlikely]]
    return false;
  due.location = in_due_queue;
  due.placed = drive_.newest_entry = entry.placed;
  return true;
}

template <class Wheel, class Due>
bool basic_agenda<Wheel, Due>::take_out_now(node_index index, node& filed, std::uint64_t word,
                                            nanoseconds_t deadline) noexcept {
  if (state_word::state(word) == timer_state::cancelled) [[unlikely]]
    return drop_if_cancelled(index, filed);
  // A restart in between makes order and deadline belong to different armings; is_as_due() finds that by the order.
  if ((word & (state_word::cold | state_word::moved)) == 0) [[likely]]
    return enter(index, filed, deadline, state_word::order(word), true);
  return place_if_due(index, filed, word, entering::batch);
}

template <class Wheel, class Due>
bool basic_agenda<Wheel, Due>::drop_if_cancelled(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) != timer_state::cancelled) return false;
  if (filed.location != nowhere) wheel_.unlink(filed);
  if ((word & state_word::emptied) != 0) free_node(core_, *drive_.record, index, filed);
  return true;
}

template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::place_again(node_index index, node& restarted, std::uint64_t word,
                                           entering how) noexcept {
  if (!place_if_due(index, restarted, word, how))
    wheel_.insert(index, restarted, {.time = nodes_.filing_time(index, restarted), .in_order = false});
}

template <class Wheel, class Due>
bool basic_agenda<Wheel, Due>::leaves(node_index index, node& restarted, const arming& now) noexcept {
  if (nodes_.is_due_by(reached(), index, now.word, nodes_.due_time(index, now.word, now.deadline))) return false;
  wheel_.insert(index, restarted, {.time = nodes_.filing_time(index, restarted), .in_order = false});
  return true;
}

template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::settle(const due_entry& due, node& restarted, const arming& before) noexcept {
  if (!is_newest(due, restarted)) return;  // restarted once more, and accepted
  restarted.location = nowhere;
  if (drop_if_cancelled(due.index, restarted)) return;
  // If it was restarted during the drain, timers that its thread armed before that may have come too late for the
  // drain.
  const arming now = arming::of(restarted);
  place_again(due.index, restarted, now.word, now == before ? entering::settled : entering::pass);
}

// --- Due sets, which the bulk alone has

// Makes entries of the due set of that time. Without a time, it does so for each set whose time has entries already.
template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::split_sets(std::optional<nanoseconds_t> time) noexcept {
  if constexpr (is_bulk) {
    const auto wanted = [this, time](nanoseconds_t of_set) {
      return time ? of_set == *time : due_.may_contain(of_set);
    };
    bool ended = false;
    for (; wheel_.due().find(wanted); ended = true) {
      wheel_.due().end([this](node_index index, node& each) {
        if (!take_out(index, each, drive_.pass_now))
          wheel_.insert(index, each, {.time = nodes_.filing_time(index, each), .in_order = false});
      });
    }
    if (!ended) return;
    due_.seal({});
    // A timer that was restarted while it was in a set is due at another time, perhaps that of another set.
    if (wheel_.has_due_set()) separate_sets();
  }
}

// A set has no order in common with entries of the same deadline, so it becomes entries too.
template <class Wheel, class Due>
void basic_agenda<Wheel, Due>::separate_sets() noexcept {
  split_sets(std::nullopt);
}

// --- What comes next

template <class Wheel, class Due>
std::optional<nanoseconds_t> basic_agenda<Wheel, Due>::next_exact() {
  // The wheel comes last, because timers that are left over and have been restarted go there.
  const bool left = has_due();
  std::optional<nanoseconds_t> of_sets;
  if constexpr (is_bulk) {
    if (left) of_sets = next_in_sets();
  }
  const std::optional<nanoseconds_t> left_over = left ? next_left_over() : std::nullopt;
  std::optional<nanoseconds_t> next = next_in_wheel();
  for (const std::optional<nanoseconds_t>& each : {of_sets, left_over}) {
    if (each) next = std::min(*each, next.value_or(forever));
  }
  return next;
}

template <class Wheel, class Due>
std::optional<nanoseconds_t> basic_agenda<Wheel, Due>::next_in_wheel() {
  return wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); });
}

// The time of the first due set that is left. Takes out what was cancelled or restarted before it.
template <class Wheel, class Due>
DETENT_COLD std::optional<nanoseconds_t> basic_agenda<Wheel, Due>::next_in_sets() noexcept {
  if constexpr (is_bulk) {
    while (wheel_.has_due_set()) {
      const node_index index = wheel_.due().front();
      node& first = nodes_[index];
      const std::uint64_t word = observe(first.pair);
      const nanoseconds_t time = wheel_.due().time();
      const bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && (word & state_word::moved) == 0 &&
          nodes_.due_time(index, word, deadline_of(first.pair)) == time)
        return time;
      wheel_.due().pop();
      if (!drop_if_cancelled(index, first)) place_again(index, first, word, entering::pass);
    }
  }
  return std::nullopt;
}

// A bound for the timers that a bounded poll left in the due queue. Takes out those that were cancelled or restarted
// since.
template <class Wheel, class Due>
DETENT_COLD std::optional<nanoseconds_t> basic_agenda<Wheel, Due>::next_left_over() {
  while (!due_.empty()) {
    const due_entry entry = due_.front();
    node& named = nodes_[entry.index];
    if (is_newest(entry, named)) {
      std::uint64_t word = observe(named.pair);
      bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && is_as_due(entry, word, deadline_of(named.pair))) return due_.earliest();
      named.location = nowhere;
      if (!drop_if_cancelled(entry.index, named))
        wheel_.insert(entry.index, named, {.time = nodes_.filing_time(entry.index, named), .in_order = false});
    }
    due_.pop();
  }
  return std::nullopt;
}

}  // namespace detent::detail
