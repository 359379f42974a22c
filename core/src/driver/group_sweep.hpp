// SPDX-License-Identifier: MIT
// The driver's work on all members of a group at once.
#pragma once

#include "callers/cancel.hpp"
#include "driver/groups_end.hpp"

#include <cstddef>
#include <utility>

namespace detent::detail {

// Knows the members of each group, and how far the driver has come with the groups that asked for it. Used by the
// driver alone.
class group_sweep {
 public:
  explicit group_sweep(engine_core& core) noexcept : core_(core), groups_(core.groups) {}

  // A member is inserted into the wheel for the first time, or again. Another thread may be cancelling it at this
  // moment, which may release the last reference to its group.
  void enrol(node_index index, std::uint64_t word) noexcept;
  bool is_asked() const noexcept { return groups_.is_asked(); }
  // A member of this group is due, and the group is not in order, so the group is swept next. Another thread may have
  // asked for that already. But it may be held up in the middle of asking, and the driver does not wait for it.
  void sweep_soon(group_state& group) noexcept;
  // How many members have called sweep_soon() since the last sweep. Each comes due in every pass until its group is in
  // order; a sweep that goes through as many members keeps the passes few.
  std::size_t held_back() const noexcept { return held_back_; }

  // Scans the members of the groups that asked for it, at most `most`, and cancels those of a cancelled group. For
  // members whose group's time may have gone on, refile(index, member, word, gathers) makes the wheel find them again,
  // and if `gathers`, takes back those that were handed over. begins() is called before each group, so that entries of
  // the group that are not in the wheel yet can be drained.
  template <class Begins, class Refile>
  void sweep(std::size_t most, Begins&& begins, Refile&& refile) noexcept;

 private:
  // A member to handle. None: the walk is complete, or `most` is used up.
  struct found {
    node_index index = no_node;
    std::uint64_t word = 0;
    bool by_roster = false;
    bool has_left = false;  // it is no longer a member
  };
  bool begin_next() noexcept;
  void end_walk() noexcept;
  found step() noexcept;
  bool is_through() const noexcept;
  // Returns whether a member of a cancelled group has left it.
  bool cancel_member(const found& at) noexcept;

  engine_core& core_;
  const groups_end groups_;
  group_state *swept_ = nullptr, *to_sweep_ = nullptr;  // whose members are being scanned, up to at_; the next ones
  group_state* urgent_ = nullptr;                       // before those, with a reference, and in no list
  node_index at_ = 0;
  std::uint32_t goings_ = 0;  // when the walk began
  std::uint64_t turns_ = 0;   // of the group then
  std::size_t held_back_ = 0;
  bool gathers_ = false;  // whether it takes back what was handed over
};

template <class Begins, class Refile>
void group_sweep::sweep(std::size_t most, Begins&& begins, Refile&& refile) noexcept {
  held_back_ = 0;
  for (groups_.begin_answer(); !core_.stopped();) {
    if (swept_ == nullptr) {
      if (!begin_next()) return;
      begins();
    }
    while (!is_through()) {
      if (most == 0 || core_.stopped()) return groups_.ask_again();
      --most;
      found at = step();
      if (!at.has_left && at.index != no_node) {
        if (swept_->is_cancelled(core_.cold_at(at.index).epoch())) {
          at.has_left = cancel_member(at);
        } else {
          refile(at.index, core_.node_at(at.index), at.word, gathers_);
        }
      }
      if (at.by_roster && at.has_left) groups_end::roster(*swept_).drop(groups_.rosters());
    }
    end_walk();
  }
}

}  // namespace detent::detail
