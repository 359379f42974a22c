// SPDX-License-Identifier: MIT
// The driver of groups.cpp's engine part, and what asks for it: what the engine's sources do around the real
// group_state and group_store is repeated here. Members are entries: the epoch they were scheduled in.
#pragma once

#include "drive.hpp"
#include "timers.hpp"

// Compiled against the explorer, and with a mutant's fault in it.
#include "driver/groups_end.hpp"
#include "groups/group_state.cpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

// No scenario's clock has one.
inline detent::detail::nanoseconds_t detent::detail::tsc_clock::read(const line&) noexcept { std::abort(); }

namespace model {

using detent::detail::forever;
using detent::detail::group_run;
using detent::detail::group_state;
using detent::detail::group_store;
using detent::detail::groups_end;

// The wake time announced, which nothing here is later than.
constexpr nanoseconds_t wake_time = 100;

// An engine with two groups, each with its owner's reference.
struct group_host {
  front<2> doors;
  group_store store;
  std::array<group_state, 2> groups;
  group_state& group = groups[0];

  group_host() {
    doors.bell.raise(wake_time);
    for (group_state& each : groups) each.add_reference();
  }
  // request_sweep() of callers/members.cpp
  void attend_to(group_state& asked) {
    store.request(asked);
    doors.ring();
  }
  void cancel_all(group_state& cancelled) {
    cancelled.begin_epoch();
    attend_to(cancelled);
  }
};

// `Members`: void sweep(group_state&), all that are filed; void take(entry), one that was submitted; bool done().
template <class Members>
class group_driver {
 public:
  group_driver(group_host& host, Members& members) : wheel_{host, members}, driver_(host.doors, wheel_, 0) {}

  // Turns until the members are done.
  void drive() { driver_.drive_until(wake_time); }

 private:
  struct swept_wheel {
    group_host& host;
    Members& members;

    void take(std::uint64_t entry) { members.take(entry); }
    nanoseconds_t next() const { return wake_time; }
    bool is_done() const { return members.done(); }
    void rescan() { require(false, "a rescan that nobody asked for"); }
    bool is_asked() const { return groups_end(host.store).is_asked(); }
    // As driver/group_sweep.hpp, whose walk over the members is the scenario's.
    template <class Begins>
    void sweep(Begins&& begins) {
      const groups_end requests(host.store);
      requests.begin_answer();
      for (group_state* asked = requests.take_requests(); asked != nullptr;) {
        group_state& swept = *std::exchange(asked, groups_end::next(*asked));
        groups_end::answer(swept);
        begins();
        members.sweep(swept);
        host.store.drop_reference(swept);
      }
    }
  };

  swept_wheel wheel_;
  driver<front<2>, swept_wheel> driver_;
};

}  // namespace model
