// SPDX-License-Identifier: MIT
// What the driver knows of: the timing wheel, and the due queue of what has come out of it and fires next.
#pragma once

#include "driver/drive_state.hpp"
#include "driver/group_sweep.hpp"
#include "wheel/due_lanes.hpp"
#include "wheel/wheel.hpp"

#include <optional>

namespace detent::detail {

// The driver's own.
class agenda {
 public:
  // Throws bad_alloc.
  agenda(engine_core& core, drive_state& drive, group_sweep& groups);

  // --- Nodes come and go

  // A node that was armed; in poll() into this very pass, if it is due.
  void insert(node_index index, node& armed) noexcept;
  // Into its lane's wheel, for `time`. `word` is its state word.
  void insert_at(node_index index, node& armed, std::uint64_t word, nanoseconds_t time) noexcept;
  // An arming that was submitted, or a restart to an earlier deadline; nothing if it is stale.
  void accept(node_index index, node& submitted, std::uint32_t generation) noexcept;
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
  void expire_critical(nanoseconds_t now);
  bool take_out(node_index index, node& filed) noexcept;
  // For `more` to be taken out. between() now and then.
  void make_room(std::size_t more, const interlude& between) noexcept { due_.make_room(more, between); }
  void seal(const interlude& between) noexcept { due_.seal(between); }
  bool nothing_due() const noexcept { return due_.empty(); }
  bool has_higher_due() const noexcept { return due_.has_higher(); }
  // The next to fire; the nodes of later ones are fetched. There is one.
  due_entry pop() noexcept;
  // Whether an entry is its node's newest; else the node is somewhere else by now.
  static bool is_newest(const due_entry& entry, const node& named) noexcept {
    return named.location == in_due_queue && named.placed == entry.placed;
  }
  // Whether the node has been armed again since.
  bool is_as_collected(const due_entry& entry, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    return state_word::order(word) == entry.order && nodes_.due_time(entry.index, word, deadline) == entry.deadline;
  }
  // It has: to where it belongs now.
  void place_again(node_index index, node& restarted, std::uint64_t word) noexcept;
  // Takes a cancelled node out, and frees it unless its canceller is still emptying it: then a reap entry is coming.
  bool drop_if_cancelled(node_index index, node& filed) noexcept;

 private:
  bool place_if_due(node_index index, node& armed, std::uint64_t word, bool now) noexcept;
  std::optional<nanoseconds_t> next_left_over();

  engine_core& core_;
  drive_state& drive_;
  group_sweep& groups_;
  const node_view nodes_;
  wheel wheel_;
  due_lanes due_;
  placement newest_entry_;
};

}  // namespace detent::detail
