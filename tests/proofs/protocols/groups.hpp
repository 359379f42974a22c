// SPDX-License-Identifier: MIT
// The driver of groups.cpp's engine part, and who asks for it: what the engine's sources do around the real group_state
// and group_store is repeated here. Members are entries: the epoch they were scheduled in.
#pragma once

#include "drive.hpp"
#include "timers.hpp"

// Compiled against the explorer, and with a mutant's fault in it.
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

// The wake time told, which nothing here is later than.
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
  // engine_core::attend_to()
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
  group_driver(group_host& host, Members& members) : host_(host), members_(members) {}

  // Turns until the members are done: work() and wait_for_work().
  void drive() {
    for (;;) {
      answer();
      if (debt_.is_owed()) drain(wake_time);
      if (is_called()) sweep_groups();
      if (members_.done()) return;
      if (is_called()) continue;
      const nanoseconds_t until = debt_.announce(host_.doors.bell, wake_time, *this);
      if (until == INT64_MIN) continue;
      if (members_.done()) return;
      wait(until);
    }
  }

  // --- What announce() asks

  bool keeps(nanoseconds_t) const { return false; }
  void count_raise() {}
  void answer() {
    debt_.answer(host_.doors.bell, [](nanoseconds_t) { return nanoseconds_t{0}; });
  }
  bool drain(nanoseconds_t) {
    host_.doors.queue.take_all([this](std::uint64_t entry) { members_.take(entry); });
    require(!debt_.pay(host_.doors.rescan), "a rescan that nobody asked for");
    return true;
  }
  bool is_called() const { return host_.store.is_asked(); }
  nanoseconds_t next() const { return wake_time; }

 private:
  void sweep_groups() {
    host_.store.begin_answer();
    for (group_state* asked = host_.store.take_requests(); asked != nullptr;) {
      group_state& swept = *std::exchange(asked, asked->next);
      swept.answer();
      debt_.owe();
      members_.sweep(swept);
      host_.store.drop_reference(swept);
    }
  }
  void wait(nanoseconds_t until) {
    while (host_.doors.bell.sleep(until) && !host_.doors.bell.has_rung()) {
    }
  }

  group_host& host_;
  Members& members_;
  drain_debt debt_;
};

}  // namespace model
