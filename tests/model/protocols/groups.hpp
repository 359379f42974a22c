// SPDX-License-Identifier: MIT
// The driver of groups.cpp's engine part, and who asks for it: what the engine's sources do around the real group_state
// and group_store is repeated here. Members are entries: the epoch they were scheduled in.
#pragma once

#include "drive.hpp"
#include "timers.hpp"

// Compiled against the explorer, and with a mutant's fault in it.
#include "group_state.cpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

// No scenario's clock has one.
inline detent::detail::nanoseconds_t detent::detail::tsc_clock::now() noexcept { std::abort(); }

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

  // Turns until the members are done: work(), wait_for_work() and announce_until().
  void drive() {
    for (;;) {
      answer_bell();
      if (unanswered_) drain();
      if (host_.store.is_asked()) sweep_groups();
      if (members_.done()) return;
      if (host_.store.is_asked()) continue;
      answer_bell();
      if (unanswered_) drain();
      if (host_.store.is_asked()) continue;
      if (members_.done()) return;
      wait();
    }
  }

 private:
  void answer_bell() {
    if (host_.doors.bell.answer()) unanswered_ = true;
  }
  void drain() {
    host_.doors.queue.take_all([this](std::uint64_t entry) { members_.take(entry); });
    unanswered_ = false;
  }
  void sweep_groups() {
    host_.store.begin_answer();
    for (group_state* asked = host_.store.take_requests(); asked != nullptr;) {
      group_state& swept = *std::exchange(asked, asked->next_request);
      swept.answer();
      unanswered_ = true;  // owe_drain()
      members_.sweep(swept);
      host_.store.drop_reference(swept);
    }
  }
  void wait() {
    while (host_.doors.bell.sleep(INT64_MAX) && !host_.doors.bell.has_rung()) {
    }
  }

  group_host& host_;
  Members& members_;
  bool unanswered_ = false;
};

}  // namespace model
