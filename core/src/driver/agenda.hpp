// SPDX-License-Identifier: MIT
// What the driver knows of: the timing wheel, and the due queue of what has come out of it and fires next.
#pragma once

#include "driver/drive_state.hpp"
#include "driver/group_sweep.hpp"
#include "wheel/due_lanes.hpp"
#include "wheel/wheel.hpp"

#include <optional>

namespace detent::detail {

// A timer as it was found before the wait for its deadline.
struct awaited_timer {
  node* timer = nullptr;  // null: none
  node_index index = no_node;
  std::uint64_t word = 0;
  nanoseconds_t deadline = 0;
};

// Whether an entry is its node's newest; else the node is somewhere else by now.
inline bool is_newest(const due_entry& entry, const node& named) noexcept {
  return named.location == in_due_queue && named.placed == entry.placed;
}

// The driver's own.
class agenda {
 public:
  // Throws bad_alloc.
  agenda(engine_core& core, drive_state& drive, group_sweep& groups);

  // --- Nodes come and go

  // A node that was armed; in poll() into this very pass, if it is due. `in_order`: after all that its thread has
  // armed.
  void insert(node_index index, node& armed, bool in_order) noexcept;
  // Into its lane's wheel. `word` is its state word.
  void insert_at(node_index index, node& armed, std::uint64_t word, const filing& placed) noexcept;
  // One that its own run has re-armed: not into this pass.
  void insert_again(node_index index, node& armed, bool in_order) noexcept;
  // An arming that was submitted, or a restart to an earlier deadline; nothing if it is stale.
  void accept(node_index index, node& submitted, std::uint32_t generation, bool in_order = true) noexcept;
  // The time of its group has gone on: it is inserted again, unless it waits to fire.
  void refile(node_index index, node& member, std::uint64_t word) noexcept;
  // A node that a canceller left to the driver: a tombstone.
  void reap(node_index index, node& cancelled) noexcept;
  // Scans every node for what an entry would have said, as some could not be pushed. between() now and then.
  void rescan(const interlude& between) noexcept;
  void prefetch_insert(node_index index, nanoseconds_t deadline) const noexcept {
    wheel_.prefetch_insert(index, deadline);
  }

  // --- What comes next

  // The earliest deadline that is known; and that of what is in the wheel.
  std::optional<nanoseconds_t> next_exact();
  std::optional<nanoseconds_t> next_in_wheel();
  // No earlier than this is anything in the wheel due.
  nanoseconds_t next_bound() const noexcept { return wheel_.next_bound().value_or(forever); }
  bool has_critical() const noexcept { return wheel_.has_critical(); }
  nanoseconds_t critical_bound() const noexcept { return wheel_.critical_bound(); }
  // Fetches what the next deadline needs into the caches.
  void warm_up();

  // --- What is due

  // Out of the wheel and into the due queue, up to `now`: the higher lanes, or all else. take(index, node) is to call
  // take_out(). between() now and then.
  template <class Take>
  void expire(nanoseconds_t now, Take&& take, const interlude& between) {
    wheel_.expire(now, take, between);
  }
  void expire_critical();
  // Of a node that has been taken out of its wheel: what is due by `reached` goes into the next batch, what was
  // cancelled is freed; the rest is to be inserted again: false.
  bool take_out(node_index index, node& filed, nanoseconds_t reached) noexcept {
    const std::uint64_t word = observe(filed.pair);
    // Whatever it belongs to, it is not due before its deadline: a group's time is never ahead of the engine's.
    const bool armed = state_word::state(word) == timer_state::armed;
    return (!armed || deadline_of(filed.pair) <= reached) && take_out_now(index, filed, word);
  }
  // For `more` to be taken out. between() now and then.
  void make_room(std::size_t more, const interlude& between) noexcept { due_.make_room(more, between); }
  void seal(const interlude& between) noexcept {
    due_.seal(between);
    if (wheel_.has_run()) separate_runs();
  }
  bool nothing_due() const noexcept { return due_.empty() && !wheel_.has_run(); }
  bool has_higher_due() const noexcept { return due_.has_higher(); }
  // Whether the next to fire is of a run. There is one.
  bool run_is_next() const noexcept {
    return wheel_.has_run() && !due_.has_higher() &&
           (due_.bulk_empty() || wheel_.runs().time() <= due_.bulk_front().deadline);
  }
  // The next to fire; the nodes of later ones are fetched.
  due_entry pop() noexcept;
  // What a past peak has left of the memory for what is due.
  void give_back() noexcept { due_.give_back(); }
  // For the same of the run.
  auto& runs() noexcept { return wheel_.runs(); }
  // Whether a run's node has not been restarted since.
  bool is_as_filed(node_index index, const node& filed, std::uint64_t word, nanoseconds_t time) const noexcept {
    return (word & state_word::moved) == 0 && nodes_.due_time(index, word, deadline_of(filed.pair)) == time;
  }
  // Whether the node has been armed again since.
  bool is_as_collected(const due_entry& entry, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    return state_word::order(word) == entry.order && nodes_.due_time(entry.index, word, deadline) == entry.deadline;
  }
  // How a timer enters the due queue: with the next batch; among what fires in this pass; or there, when all that was
  // submitted before it was restarted has been accepted.
  enum class entering : std::uint8_t { batch, pass, settled };
  // Puts a timer that was restarted to where it belongs now.
  void place_again(node_index index, node& restarted, std::uint64_t word, entering how) noexcept;
  // Takes a cancelled node out, and frees it unless its canceller is still emptying it: then a reap entry is coming.
  bool drop_if_cancelled(node_index index, node& filed) noexcept;

  // --- A timer that fires without a pass

  // Takes out the plain one that alone is due at `until`, before all else; null: there is none, or it is not known.
  awaited_timer take_awaited(nanoseconds_t until) noexcept;
  // Back to where it belongs now, or freed if it has been cancelled. Nothing else has come or gone meanwhile.
  void put_back(const awaited_timer& awaited) noexcept;

 private:
  void insert_cold(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept;
  bool joins_pass(node_index index, node& armed, std::uint64_t word, nanoseconds_t due) noexcept {
    if (base::counts_causes && drive_.split.is_late(due) && armed.placed != drive_.pass) [[unlikely]]
      armed.placed = drive_.split.late_drain();
    // What has run in this pass does not do so again, and comes with the next.
    return drive_.polling && armed.placed != drive_.pass && place_if_due(index, armed, word, entering::pass);
  }
  [[gnu::noinline]] bool take_out_now(node_index index, node& filed, std::uint64_t word) noexcept;
  bool place_if_due(node_index index, node& armed, std::uint64_t word, entering how) noexcept;
  std::optional<nanoseconds_t> next_left_over();
  std::optional<nanoseconds_t> next_in_runs() noexcept;
  void separate_runs() noexcept;
  [[gnu::noinline]] void end_runs(std::optional<nanoseconds_t> time) noexcept;

  engine_core& core_;
  drive_state& drive_;
  group_sweep& groups_;
  const node_view nodes_;
  wheel wheel_;
  due_lanes due_;
  placement newest_entry_;
};

}  // namespace detent::detail
