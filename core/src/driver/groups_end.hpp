// SPDX-License-Identifier: MIT
// The driver's end of an engine's groups. Callers have the store and the groups themselves, and do not know this type.
#pragma once

#include "groups/group_store.hpp"

namespace detent::detail {

// Used by the driver alone. The numbers of the orders are those of groups/group_state.hpp.
class groups_end {
 public:
  explicit groups_end(group_store& of) noexcept : of_(of) {}

  // --- The requests for a sweep

  bool is_asked() const noexcept { return of_.asked_.load(base::relaxed); }  // relaxed: (4) acquires
  // From here on is_asked() reports new requests. (4) acquire: pairs with (3)
  void begin_answer() const noexcept { of_.asked_.exchange(false, base::acquire); }
  // Takes all groups that asked, each with a reference; null if there are none. (2) acquire: pairs with (1)
  group_state* take_requests() const noexcept { return of_.requests_.exchange(nullptr, base::acquire); }
  static group_state* next(const group_state& requested) noexcept { return requested.next_; }
  // (7) acq_rel: makes visible what the group was asked for before
  static void answer(group_state& requested) noexcept { requested.requested_.exchange(false, base::acq_rel); }
  // Asks for a later sweep, because there is more to do than could be done.
  void ask_again() const noexcept { of_.asked_.store(true, base::relaxed); }  // relaxed: to itself

  // --- The members of a group

  static group_roster& roster(group_state& group) noexcept { return group.roster_; }
  roster_memory& rosters() const noexcept { return of_.rosters_; }
  // goings() numbers the departures that a sweep which begins now must gather; gathered() says that it has.
  static std::uint32_t goings(const group_state& swept) noexcept {
    return swept.goings_.load(base::acquire);  // (14) acquire: pairs with (13)
  }
  static void gathered(group_state& swept, std::uint32_t goings) noexcept {
    swept.gathered_.store(goings, base::release);  // (14) release: pairs with (13)
  }
  // A sweep has found each member, and the group was not paused or resumed during the sweep. Relaxed, here and in
  // is_in_order(): the driver reads its own store. If another group has this place by now, the member for which the
  // driver asks has ended, and no answer does harm.
  static void went_through(group_state& swept, std::uint64_t turns) noexcept {
    swept.swept_turns_.store(turns, base::relaxed);
  }
  // How often the group was paused or resumed. Acquire, as the (2) of
  // read_clock(): pairs with its (3).
  static std::uint64_t turns(const group_state& group) noexcept { return group.clock_.low.load(base::acquire); }
  // Returns whether each member is in the wheel at the place of its time, or on its way there. Those of a group that
  // was paused follow its resumption one by one.
  static bool is_in_order(const group_state& group) noexcept {
    return turns(group) == group.swept_turns_.load(base::relaxed) && !group.is_scattered();
  }

 private:
  group_store& of_;
};

}  // namespace detent::detail
