// SPDX-License-Identifier: MIT
// The state word: generations protect from ABA, a cancelled armed node is a tombstone, a restart to later is lazy.
// Every transition and every compare-and-swap on a timer is a function of this file, the only place where threads meet.
//
//                         +------------- restart (other threads: with an entry) ------------+
//                         v                                                                 |
//   free --publish--> queued --take_up--> armed --hand_over--> dispatched --requeue---------+
//    ^                  |                 |  ^  \                 |
//    |                  |                 |  |   \--start---+-----+ start
//    |                  |                 |  |              v
//    |                  |                 |  +--rearm--- firing --rearm (off the worker)--> queued
//    |                  v                 v                 |
//    |             cancelled <--cancel-- (queued, armed, dispatched)
//    |             returned  <--stop---- (queued, armed, dispatched)
//    |             dropped   <--drop---- (dispatched, firing)
//    +--release (generation + 1)-- cancelled, returned, dropped, firing
//
// state       writers of the node's plain fields                    readers of the callable
// free        the thread that took the node from the pool           none
// queued      none; an entry in the submission queue names it       none
// armed       the worker: links, location, placement                none
// dispatched  none; a fired_timer names it                          none
// firing      the thread that runs it: deadline and cold part       that thread
// cancelled,  the winner of the transition, which moves the         the winner, to destroy or move it
// returned,   callable out. If it was armed the driver still
// dropped     owns the links, and releases the node once it is
//             marked `emptied`; else the winner releases it
//
// Flags: `last` (firing: never again, even if it is re-armed), `waiter` (firing: a thread waits for the end), `unfiled`
// (queued, armed: an earlier restart may not have reached the worker; the next restarter submits as well), `periodic`
// (pending also while firing), `cold` (the cold part holds something), `owning` (the callable must be destroyed: a
// cancel from queued cannot go to free in one step); `emptied` (cancelled: the canceller needs nothing of the node
// any more) is the bit of `waiter`.
//
// The generation counts a node's uses: ABA protection. The arming order counts a thread's armings. Deadline and word
// are one pair: a restart moves it, and the driver takes due timers out of `armed`, by one 16-byte compare-and-swap. A
// plain store of the deadline could reach a stranger's timer, and a read of the word alone could mistake one arming for
// another, because two threads' orders may coincide. All other transitions are right for any arming that they meet.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/word_layout.hpp>
#include <detent/time.hpp>
#include "platform/check.hpp"

#include <cstdint>

namespace detent::detail {

// The pair of a node: word below, deadline (nanoseconds, two's complement) above.
using timer_pair = base::atomic_pair;

// The word as it is now. (1) acquire: pairs with the releases (2) to (10), so that a thread that acts on a state sees
// what was written before the node reached it.
inline std::uint64_t observe(const timer_pair& pair) noexcept { return pair.low.load(base::acquire); }

// The deadline of the arming that `word` belongs to, if a later observe() still returns that arming's order; the
// callers prove it by a compare-and-swap on the word, hence relaxed.
inline std::int64_t deadline_of(const timer_pair& pair) noexcept {
  return static_cast<std::int64_t>(pair.high.load(base::relaxed));
}

// free -> queued, or armed if the worker itself schedules. By the owner of a free node, uncontended: a stale handle
// fails by generation, no matter what it reads.
inline void publish_as(timer_pair& pair, std::uint64_t word, std::int64_t deadline) noexcept {
  DETENT_ASSERT(state_word::state(pair.low.load(base::relaxed)) == timer_state::free);  // relaxed: own node
  // (2) release, both: the deadline's pairs with (5) of node.hpp, the word's with (1), (3), (4), (7) and (8).
  pair.high.store(static_cast<std::uint64_t>(deadline), base::release);
  pair.low.store(word, base::release);
}

// Replaces the word that `word` holds; on failure `word` becomes the one that is there now. All 8-byte transitions
// except the owner's pass through here. (3) acq_rel: acquire pairs with (2) and with the release of the transition
// before, so that the winner sees the node as its last owner left it; release passes that on, and the winner's writes.
inline bool exchange_word(timer_pair& pair, std::uint64_t& word, std::uint64_t desired) noexcept {
  return pair.low.compare_exchange_strong(word, desired, base::acq_rel, base::acquire);  // (3) failure: as (1)
}

enum class [[nodiscard]] take_up_result : std::uint8_t{
    armed,    // was queued: must be inserted
    moved,    // is armed and was restarted to an earlier deadline: must be inserted again
    current,  // is armed and in the wheel already
    stale     // another generation, or not in a state that concerns the wheel
};

// queued -> armed; or clears `unfiled` of an armed timer. By the worker, before it inserts the node.
inline take_up_result take_up(timer_pair& pair, std::uint32_t generation) noexcept {
  std::uint64_t word = observe(pair);
  while (state_word::generation(word) == generation) {
    timer_state state = state_word::state(word);
    if (state == timer_state::queued) {
      if (exchange_word(pair, word, state_word::with_state(word, timer_state::armed) & ~state_word::unfiled))
        return take_up_result::armed;
    } else if (state == timer_state::armed) {
      if ((word & state_word::unfiled) == 0) return take_up_result::current;
      if (exchange_word(pair, word, word & ~state_word::unfiled)) return take_up_result::moved;
    } else {
      return take_up_result::stale;
    }
  }
  return take_up_result::stale;
}

enum class [[nodiscard]] transition : std::uint8_t{done, lost};
// armed -> dispatched or firing: by the driver, for the arming that came due, whose word and deadline it has seen. Both
// must still be there, because each thread counts its orders, so that after two restarts the word alone may be the
// same. On success `word` is the new word; lost: read again.
inline transition leave_armed(timer_pair& pair, std::uint64_t& word, std::int64_t deadline,
                              std::uint64_t desired) noexcept {
  DETENT_CHECK(state_word::state(word) == timer_state::armed);
  std::uint64_t same = static_cast<std::uint64_t>(deadline);
  // (4) seq_cst, both halves: pairs with (1), (2), (3), (7) and (9).
  if (!pair.compare_exchange({word, same}, {desired, same})) {
    word = observe(pair);
    return transition::lost;
  }
  word = desired;
  return transition::done;
}
// The order gives way to the driver's own count of hand-overs, so no two fired_timers of one generation share a word.
inline transition hand_over(timer_pair& pair, std::uint64_t& word, std::int64_t deadline,
                            std::uint32_t count) noexcept {
  return leave_armed(pair, word, deadline,
                     state_word::make(state_word::generation(word), count, timer_state::dispatched,
                                      word & (state_word::lasting | state_word::moved)));
}
inline transition start_armed(timer_pair& pair, std::uint64_t& word, std::int64_t deadline) noexcept {
  return leave_armed(pair, word, deadline, state_word::with_state(word, timer_state::firing) & ~state_word::of_arming);
}

// dispatched -> firing, by the caller of the fired_timer. `word` as it was handed over: a cancel or restart since then
// makes it fail.
inline transition start_dispatched(timer_pair& pair, std::uint64_t& word) noexcept {
  DETENT_CHECK(state_word::state(word) == timer_state::dispatched);
  std::uint64_t desired = state_word::with_state(word, timer_state::firing) & ~state_word::moved;
  if (!exchange_word(pair, word, desired)) return transition::lost;
  word = desired;
  return transition::done;
}

// queued -> free in one step, if there is nothing to destroy: the most frequent end of all. `half` is queued_half() of
// the generation. Returns true if the caller has the node to itself, with a stale entry; else cancel() finds out why.
inline bool cancel_plain(timer_pair& pair, std::uint32_t half) noexcept {
  constexpr std::uint32_t to_next_life = (1u << (state_word::generation_shift - 32)) - state_word::queued_half(0);
  std::uint32_t next_life = 0;
  if (base::add_overflows(half, to_next_life, next_life)) return false;  // used up
  // (10) acq_rel, the word's upper half: as (3). Order and flags remain and mean nothing in a free word.
  return pair.compare_exchange_upper(half, next_life);
}

enum class [[nodiscard]] cancel_transition : std::uint8_t{
    from_queued,      // the caller destroys the callable and frees the node; the entry is stale
    from_armed,       // the caller destroys the callable; the worker unlinks and frees once it is marked `emptied`
    emptied_armed,    // the same, but there was nothing to destroy, and it is marked
    from_dispatched,  // the caller destroys the callable and frees the node; the fired_timer is stale
    marked_last,      // it is firing: this was its last run
    gone};

// queued | armed | dispatched -> cancelled; firing: sets `last`, and `waiter` if asked.
inline cancel_transition cancel(timer_pair& pair, std::uint32_t generation, bool wait) noexcept {
  std::uint64_t word = observe(pair);
  const std::uint64_t marks = state_word::last | (wait ? state_word::waiter : 0);
  while (state_word::generation(word) == generation) {
    timer_state from = state_word::state(word);
    if (from == timer_state::firing) {
      if ((word & marks) == marks || exchange_word(pair, word, word | marks)) return cancel_transition::marked_last;
    } else if (!state_word::pending(from)) {
      return cancel_transition::gone;
    } else if (from == timer_state::armed && (word & state_word::owning) == 0) {
      if (exchange_word(pair, word, state_word::with_state(word, timer_state::cancelled) | state_word::emptied))
        return cancel_transition::emptied_armed;
    } else if (exchange_word(pair, word, state_word::with_state(word, timer_state::cancelled))) {
      return from == timer_state::queued  ? cancel_transition::from_queued
             : from == timer_state::armed ? cancel_transition::from_armed
                                          : cancel_transition::from_dispatched;
    }
  }
  return cancel_transition::gone;
}

// Called by the winner of a cancel from armed, once the callable is out of the node. From now on the driver may release
// it.
inline void mark_emptied(timer_pair& pair) noexcept {
  std::uint64_t word = pair.low.load(base::relaxed);  // relaxed: no other thread changes a cancelled word
  DETENT_CHECK(state_word::state(word) == timer_state::cancelled);
  pair.low.store(word | state_word::emptied, base::release);  // (6) release: pairs with (1) of the driver
}

// Asks the runner of a firing timer for a wake at its end; more runs may follow. Returns false if it is not firing.
inline bool mark_waiter(timer_pair& pair, std::uint64_t& word) noexcept {
  while (state_word::state(word) == timer_state::firing) {
    if ((word & state_word::waiter) != 0 || exchange_word(pair, word, word | state_word::waiter)) return true;
  }
  return false;
}

enum class [[nodiscard]] restart_transition : std::uint8_t{
    later,    // nothing more to do: the wheel finds out when the old slot comes round
    earlier,  // or not in the wheel: the caller submits an entry, then reads the wake time
    gone};

// armed, plain, to a later deadline, with no earlier restart on its way: the step of a keep-alive, in one exchange
// after `before()`. `half` is queued_half() of the generation. If it returns false, restart() finds out why.
template <class Before>
bool restart_later(timer_pair& pair, std::uint32_t half, std::int64_t deadline, std::uint32_t order,
                   Before before) noexcept {
  std::uint64_t word = observe(pair);
  std::int64_t old_deadline = deadline_of(pair);
  if (!state_word::is_armed_as(word, half) || deadline <= old_deadline || (word & state_word::cold) != 0) return false;
  const std::uint64_t mask = state_word::order_mask, desired = (word & ~mask) | (order & mask) | state_word::moved;
  before();
  return pair.compare_exchange({word, static_cast<std::uint64_t>(old_deadline)},  // (9) as (7)
                               {desired, static_cast<std::uint64_t>(deadline)});
}

// queued | armed: moves deadline and order; dispatched -> queued. If it is not armed there is an entry: nothing else
// names a dispatched one, and the entry of a queued one may come after what this thread submits next. An armed one is
// judged by its place, which another thread's order may precede (a group's deadlines in a tick are one), and `unfiled`.
inline restart_transition restart(timer_pair& pair, std::uint32_t generation, std::int64_t deadline,
                                  std::uint32_t order, std::int64_t tick = 1) noexcept {
  std::uint64_t word = observe(pair);
  while (state_word::generation(word) == generation) {
    timer_state from = state_word::state(word);
    if (!state_word::pending(from)) return restart_transition::gone;
    std::int64_t old_deadline = deadline_of(pair);
    bool placed_later = state_word::order_before(order, state_word::order(word));
    bool overtakes = deadline < old_deadline || (placed_later && subtract_saturated(deadline, old_deadline) < tick);
    bool submit = overtakes || (word & state_word::unfiled) != 0 || from != timer_state::armed;
    timer_state to = from == timer_state::dispatched ? timer_state::queued : from;
    std::uint64_t flags = (word & state_word::lasting) | state_word::moved | (submit ? state_word::unfiled : 0);
    std::uint64_t desired = state_word::make(generation, order, to, flags);
    // (7) seq_cst, both halves: pairs with (1), (3) and (4); fails unless word and deadline are of one arming.
    if (pair.compare_exchange({word, static_cast<std::uint64_t>(old_deadline)},
                              {desired, static_cast<std::uint64_t>(deadline)}))
      return submit ? restart_transition::earlier : restart_transition::later;
    word = observe(pair);
  }
  return restart_transition::gone;
}

// firing -> armed (on the worker) or queued (elsewhere; the caller submits an entry): the next arming of the same node.
// Lost: `last` is set, and the caller ends the timer. `word` becomes the one that is there then.
inline transition rearm(timer_pair& pair, std::uint64_t& word, timer_state to, std::int64_t deadline,
                        std::uint32_t order) noexcept {
  DETENT_CHECK(to == timer_state::armed || to == timer_state::queued);
  // Relaxed: while firing only the runner writes the deadline, and (8) publishes it.
  pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
  word = observe(pair);
  while ((word & state_word::last) == 0) {
    DETENT_CHECK(state_word::state(word) == timer_state::firing);
    std::uint64_t desired = state_word::make(state_word::generation(word), order, to, word & state_word::lasting);
    // (8) release: pairs with (1) and (3). Returns the marks that were set while it ran through `word`.
    if (pair.low.compare_exchange_strong(word, desired, base::acq_rel, base::acquire)) return transition::done;
  }
  return transition::lost;
}

// Marks the run that is about to start as the last one, for pending() and for re-arming; by its runner.
inline void set_last(timer_pair& pair, std::uint64_t& word) noexcept {
  while (!exchange_word(pair, word, word | state_word::last)) continue;
  word |= state_word::last;
}

// dispatched -> dropped: a fired_timer let go of, or refused under policy drop. Lost: a cancel, restart or stop won.
inline transition drop(timer_pair& pair, std::uint64_t& word) noexcept {
  DETENT_CHECK(state_word::state(word) == timer_state::dispatched);
  return exchange_word(pair, word, state_word::with_state(word, timer_state::dropped)) ? transition::done
                                                                                       : transition::lost;
}

enum class [[nodiscard]] collect_result : std::uint8_t{returned, firing, nothing};
// queued | armed | dispatched -> returned: by stop(), or by a producer that finds the engine stopped after its
// publication. The latter passes its own arming as `only`, and succeeds only if that is still there.
inline collect_result collect(timer_pair& pair, std::uint64_t only = 0) noexcept {
  std::uint64_t word = observe(pair);
  while (true) {
    timer_state state = state_word::state(word);
    if (state == timer_state::firing) return collect_result::firing;
    if (!state_word::pending(state) || (only != 0 && word != only)) return collect_result::nothing;
    if (exchange_word(pair, word, state_word::with_state(word, timer_state::returned))) return collect_result::returned;
  }
}

// firing -> free, by the runner, after it destroyed the callable. Lost: marks have been set since, and `word` has them.
// A generation at its end stays, and the node is retired. (3) releases what the callback did to a waiter, by (1).
inline transition end_firing(timer_pair& pair, std::uint64_t& word) noexcept {
  DETENT_CHECK(state_word::state(word) == timer_state::firing);
  return exchange_word(pair, word, state_word::next_life(word)) ? transition::done : transition::lost;
}

// cancelled | dropped | returned -> free, by the thread that the table names. Returns false if it must be retired.
inline bool release(timer_pair& pair) noexcept {
  std::uint64_t word = pair.low.load(base::relaxed);  // relaxed: no other thread may change a node in these states
  timer_state state = state_word::state(word);
  DETENT_CHECK(state == timer_state::cancelled || state == timer_state::dropped || state == timer_state::returned);
  pair.low.store(state_word::next_life(word), base::release);  // (5) release: pairs with (1)
  return !state_word::used_up(word);
}

}  // namespace detent::detail
