// SPDX-License-Identifier: MIT
// Keeps an armed timer until it runs: in a timing wheel, and in the due queue once it has come due.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/drive_state.hpp"
#include "driver/group_sweep.hpp"
#include "limits.hpp"
#include "wheel/due_queue.hpp"
#include "wheel/wheel.hpp"

#include <optional>
#include <utility>

namespace detent::detail {

// Returns whether an entry is its node's newest. If not, the node has moved on.
inline bool is_newest(const due_entry& entry, const node& named) noexcept {
  return named.location == in_due_queue && named.placed == entry.placed;
}

// Treats a node that is nowhere as one in the due queue, whose entry is `entry`.
inline void pass_for_due(const due_entry& entry, node& named) noexcept {
  named.location = in_due_queue;
  named.placed = entry.placed;
}

// Identifies one arming of a timer.
struct arming {
  std::uint64_t word = 0;
  nanoseconds_t deadline = 0;

  static arming of(const node& armed) noexcept { return {observe(armed.pair), deadline_of(armed.pair)}; }
  bool operator==(const arming&) const noexcept = default;
};

// A timer as it was found before the wait for its deadline.
struct awaited_timer {
  node* timer = nullptr;  // null if none is awaited
  node_index index = no_node;
  std::uint64_t word = 0;
  nanoseconds_t deadline = 0;
};

// Used by the driver alone. There are several: one of the bulk, and the critical ones (agendas.hpp). A timer is on the
// same agenda from its schedule call to its end.
class agenda {
 public:
  enum class kind : std::uint8_t { bulk, critical };
  // Throws bad_alloc.
  agenda(engine_core& core, drive_state& drive, group_sweep& groups, kind of);

  // --- Nodes come and go

  // Inserts a node that was armed, `word` being its state word; in poll() into this very pass, if it is due.
  // `in_order`: it comes after all that its thread has armed.
  void insert(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept {
    if ((word & state_word::cold) != 0) [[unlikely]]
      return insert_cold(index, armed, word, in_order);
    const nanoseconds_t deadline = deadline_of(armed.pair);
    if (joins_pass(index, armed, word, deadline)) return;
    wheel_.insert(index, armed, {deadline, in_order && (word & state_word::moved) == 0});
  }
  // Inserts a node that its own run has re-armed or that was restarted, but not into this pass.
  void insert_again(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept;
  // Inserts an arming that was submitted, or a restart to an earlier deadline; does nothing if it is stale.
  void accept(node_index index, node& submitted, std::uint32_t generation, bool in_order = true) noexcept;
  // Inserts a member again whose group's time has gone on, unless it waits to fire.
  void refile(node_index index, node& member, std::uint64_t word) noexcept;
  // Takes a node that a canceller left to the driver: a tombstone.
  void reap(node_index index, node& cancelled) noexcept;
  // Fetches what an insert will touch beside the node.
  void prefetch_insert(node_index index, nanoseconds_t deadline) const noexcept {
    wheel_.prefetch_insert(index, deadline);
  }

  // --- What comes next

  // The earliest deadline that is known; and the earliest of the timers in the wheel. Exact if no more than `looks`
  // share its slot.
  std::optional<nanoseconds_t> next_exact(int looks);
  std::optional<nanoseconds_t> next_in_wheel(int looks = limits::exact_looks);
  // Nothing in the wheel is due before this.
  nanoseconds_t next_bound() const noexcept { return wheel_.next_bound().value_or(forever); }
  // Fetches the memory that the next deadline needs into the caches.
  void warm_up();

  // --- What is due

  // Moves due timers from the wheel to the due queue, up to `reached`. Calls between() in the middle of many.
  DETENT_ALWAYS_INLINE void expire(nanoseconds_t reached, const interlude& between) {
    const auto take = [this, reached, &between](node_index index, node& filed) {
      // Relaxed: as in critical_pass::interrupt().
      if (core_.critical_in_use.load(base::relaxed) && ++taken_ % limits::takes_between == 0) [[unlikely]] {
        between();
        due_.make_room(limits::takes_between, between);
      }
      return take_out(index, filed, reached);
    };
    wheel_.expire(reached, take, between);
    due_.seal(between);
    if (wheel_.has_due_set()) split_sets(std::nullopt);
  }
  bool has_due() const noexcept { return !due_.empty() || wheel_.has_due_set(); }
  // Takes out the next one to fire, of the due queue or a due set; there must be one. Returns false if it had been
  // armed again, and `out` is not set.
  bool next(due_entry& out) noexcept;
  // Returns whether it has not been armed again since it came due.
  bool is_as_due(const due_entry& entry, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    return state_word::order(word) == entry.order && nodes_.due_time(entry.index, word, deadline) == entry.deadline;
  }

  // --- A timer that fires without a pass

  // Takes out the plain timer that is due at `until`, alone and before all others, which is awaited from now on.
  // Returns false if there is none, or if that is not known. Nothing else may come or go until it fires or is given up.
  bool await(nanoseconds_t until) noexcept;
  // The one that is awaited, if any; to be emptied when it fires.
  awaited_timer& awaited() noexcept { return awaited_; }
  // Puts it back to where it belongs now, or frees it if it has been cancelled.
  void give_up_awaited() noexcept;

  // --- A timer that was restarted in its place, when its turn comes

  // Puts it back into the wheel if it is not due any more. Returns false if it is due, and may not be the first.
  bool leaves(node_index index, node& restarted, const arming& now) noexcept;
  // Settles it when all that was submitted before it was restarted, which was at `before`, has been accepted. Until
  // then it has passed for one in the due queue: pass_for_due().
  void settle(const due_entry& due, node& restarted, const arming& before) noexcept;

  // --- In either case

  // How a timer enters the due queue: with the next batch; among the timers that fire in this pass; or in the pass,
  // once all that was submitted before its restart has been accepted.
  enum class entering : std::uint8_t { batch, pass, settled };
  // Puts a timer that was restarted to where it belongs now.
  void place_again(node_index index, node& restarted, std::uint64_t word, entering how) noexcept;
  // Takes a cancelled node out, and frees it unless its canceller is still emptying it: then a reap entry is coming.
  bool drop_if_cancelled(node_index index, node& filed) noexcept;
  // Gives back the memory that a past peak of due timers has left.
  void give_back() noexcept { due_.give_back(); }

 private:
  void insert_cold(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept;
  bool joins_pass(node_index index, node& armed, std::uint64_t word, nanoseconds_t due) noexcept {
    if (base::counts_causes && drive_.split.is_late(due) && armed.placed != drive_.pass) [[unlikely]]
      armed.placed = drive_.split.late_drain();
    // A timer that has run in this pass does not run in it again; it comes with the next.
    return drive_.polling && armed.placed != drive_.pass && place_if_due(index, armed, word, entering::pass);
  }
  // Handles a node that was taken out of its wheel. If it is due by `reached` it goes into the next batch; if it was
  // cancelled it is freed. Returns false if it must be inserted again.
  bool take_out(node_index index, node& filed, nanoseconds_t reached) noexcept {
    const std::uint64_t word = observe(filed.pair);
    const nanoseconds_t deadline = deadline_of(filed.pair);
    // No timer is due before its deadline, also in a group: a group's time is never ahead of the engine's.
    const bool armed = state_word::state(word) == timer_state::armed;
    return (!armed || deadline <= reached) && take_out_now(index, filed, word, deadline);
  }
  DETENT_NOINLINE bool take_out_now(node_index index, node& filed, std::uint64_t word, nanoseconds_t deadline) noexcept;
  bool place_if_due(node_index index, node& armed, std::uint64_t word, entering how) noexcept;
  bool enter(node_index index, node& due, nanoseconds_t time, std::uint32_t order, bool collects) noexcept;
  std::optional<nanoseconds_t> next_of_due();
  DETENT_NOINLINE void split_sets(std::optional<nanoseconds_t> time) noexcept;

  engine_core& core_;
  drive_state& drive_;
  group_sweep& groups_;
  const node_view nodes_;
  const kind kind_;
  std::uint32_t taken_ = 0;  // out of the wheel, modulo its range
  awaited_timer awaited_;
  wheel wheel_;
  due_queue due_;
};

DETENT_ALWAYS_INLINE inline bool agenda::next(due_entry& out) noexcept {
  if (wheel_.has_due_set() && (due_.empty() || wheel_.due().time() <= due_.front().deadline)) {
    const nanoseconds_t time = wheel_.due().time();
    const node_index index = wheel_.due().pop();
    const node& first = nodes_[index];
    const std::uint64_t word = observe(first.pair);
    // One that was restarted in the set gets another order, so that it counts as armed again.
    const std::uint32_t moved = (word & state_word::moved) != 0 ? 1 : 0;
    drive_.newest_entry = drive_.newest_entry.next_entry();
    out = {.deadline = time,
           .order = (state_word::order(word) - moved) & state_word::order_mask,
           .index = index,
           .placed = drive_.newest_entry,
           .taken_up = drive_.split.taken_up(first.placed, time)};
    return true;
  }
  out = due_.pop();
  if (const due_entry* ahead = due_.ahead(limits::fetch_due_ahead)) base::prefetch_to_write(&nodes_[ahead->index]);
  node& named = nodes_[out.index];
  if (!is_newest(out, named)) return false;
  named.location = nowhere;
  return true;
}

}  // namespace detent::detail
