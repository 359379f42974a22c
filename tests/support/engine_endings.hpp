// SPDX-License-Identifier: MIT
// The walk of docs/endings.md: each operation that a module begins, against each event that can end it, on each kind of
// engine. Whatever happens, an operation ends exactly once, by the word that its module's table has for it.
#pragma once

#include <detent/engine.hpp>
#include <detent/error.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/engine_ending_rig.hpp"
#include "support/engine_eventually.hpp"

namespace detent::testing {

// The end of an operation. The operation writes it on any thread, and the walk reads it.
class ending_note {
 public:
  void set(std::string word) {
    std::lock_guard lock(turn_);
    word_ = std::move(word);
    ++count_;
  }
  int count() const {
    std::lock_guard lock(turn_);
    return count_;
  }
  std::string word() const {
    std::lock_guard lock(turn_);
    return word_;
  }

 private:
  mutable std::mutex turn_;
  std::string word_;
  int count_ = 0;
};

// An operation under test. It is made with its note, begins at start(), ends after the given time unless something
// happens, and outlives the engine. An operation that can meet the end of a group has start(timer_group&, duration) as
// well. If start() throws, no operation has begun, and the walk itself notes "throws CODE". Operations that need their
// own loop turned have pump(), which is called while the walk waits.
template <class T>
concept ending_operation = std::constructible_from<T, ending_note&> &&
    requires(T& operation, engine& on, duration delay) {
  operation.start(on, delay);
  operation.cancel();
};

// Returns the word for an error in tables of endings.
inline std::string ending_word(const std::error_code& code) {
  static const std::map<errc, const char*> names{{errc::capacity_exceeded, "capacity_exceeded"},
                                                 {errc::stopped, "stopped"},
                                                 {errc::invalid_option, "invalid_option"},
                                                 {errc::out_of_memory, "out_of_memory"},
                                                 {errc::dropped, "dropped"}};
  if (code.category() != error_category()) return code.message();
  const auto found = names.find(static_cast<errc>(code.value()));
  return found == names.end() ? code.message() : found->second;
}

// Begins the operation, lets the event happen to it, and waits for its end.
template <ending_operation Operation>
class ending_walk {
 public:
  explicit ending_walk(const ending_case& which)
      : event_(std::get<0>(which)), operation_(note_), rig_(event_, std::get<1>(which)) {}

  // The word must be `expected`, and no second one may come by the time everything has been taken down.
  void expect(const std::string& expected) {
    if (!rig_.refusal().empty()) GTEST_SKIP() << rig_.refusal();
    begin();
    happen();
    EXPECT_TRUE(turns_until([this] { return note_.count() > 0; })) << "ended in silence";
    EXPECT_EQ(note_.word(), expected);
    rig_.destroy();
    turn();
    rig_.gate().take_held();
    turn();
    EXPECT_EQ(note_.count(), 1);
  }

 private:
  void begin() {
    if (event_ == ending_event::stopped_before) rig_.on().stop();
    const duration delay = is_short() ? duration(std::chrono::milliseconds(2)) : std::chrono::hours(1);
    try {
      if constexpr (requires { operation_.start(rig_.group(), delay); }) {
        if (event_ == ending_event::group_cancelled) return operation_.start(rig_.group(), delay);
      }
      operation_.start(rig_.on(), delay);
    } catch (const error& refused) {
      note_.set("throws " + ending_word(refused.code()));
    }
  }
  // Returns whether the operation reaches its run, or at least its hand-over.
  bool is_short() const noexcept {
    switch (event_) {
      case ending_event::cancelled:
      case ending_event::unfired_run:
      case ending_event::unfired_thrown_away:
      case ending_event::group_cancelled:
      case ending_event::moved_cancelled:
      case ending_event::destroyed: return false;
      default: return true;
    }
  }
  void happen() {
    switch (event_) {
      case ending_event::cancelled: return operation_.cancel();
      case ending_event::cancelled_while_held:
        wait_until_held();
        rig_.gate().holds = false;  // for work that is handed over again
        operation_.cancel();
        for (fired_timer& each : rig_.gate().take_held()) each();
        return;
      case ending_event::unfired_run:
        for (unfired_timer& each : rig_.on().stop()) each.run();
        return;
      case ending_event::unfired_thrown_away: return static_cast<void>(rig_.on().stop());
      case ending_event::dropped: wait_until_held(); return static_cast<void>(rig_.gate().take_held());
      case ending_event::group_cancelled: return rig_.group().cancel_all();
      case ending_event::moved: return rig_.move();
      case ending_event::moved_cancelled: rig_.move(); return operation_.cancel();
      case ending_event::destroyed: return rig_.destroy();
      case ending_event::destroyed_when_held: wait_until_held(); return rig_.destroy();
      default: return;
    }
  }
  void wait_until_held() {
    EXPECT_TRUE(turns_until([this] { return rig_.gate().holds_one(); }));
  }
  template <class Condition>
  bool turns_until(Condition&& condition) {
    return eventually([&] {
      turn();
      return condition();
    });
  }
  void turn() {
    rig_.turn();
    if constexpr (requires { operation_.pump(); }) operation_.pump();
  }

  const ending_event event_;
  ending_note note_;
  Operation operation_;
  ending_rig rig_;  // destroyed first
};

// The module's table: a word for each event. An event without a word ends as `elapses` does.
using ending_table = std::map<ending_event, std::string>;
template <ending_operation Operation>
void expect_ending(const ending_case& which, const ending_table& table) {
  const auto found = table.find(std::get<0>(which));
  ending_walk<Operation>(which).expect(found != table.end() ? found->second : table.at(ending_event::elapses));
}

inline bool is_a_cancel(ending_event event) noexcept {
  return event == ending_event::cancelled || event == ending_event::cancelled_while_held ||
         event == ending_event::moved_cancelled;
}
// For INSTANTIATE_TEST_SUITE_P: every event on every engine, and a name for each. The arguments leave out events for
// operations that cannot be cancelled, or that do not end with their group.
inline auto every_ending(bool with_cancels = true, bool ends_with_group = true) {
  std::vector<ending_event> events;
  for (int each = 0; each <= static_cast<int>(ending_event::destroyed_when_held); ++each) {
    const auto event = static_cast<ending_event>(each);
    if (!with_cancels && is_a_cancel(event)) continue;
    if (!ends_with_group && event == ending_event::group_cancelled) continue;
    events.push_back(event);
  }
  return ::testing::Combine(::testing::ValuesIn(events),
                            ::testing::Values(ending_engine::worker, ending_engine::pool, ending_engine::keyed_pool,
                                              ending_engine::virtual_time));
}
inline std::string ending_name(const ::testing::TestParamInfo<ending_case>& info) {
  static constexpr const char* events[] = {
      "Elapses",          "Cancelled",        "CancelledWhileHeld", "UnfiredRun", "UnfiredThrownAway",
      "RefusedRunInline", "RefusedRetry",     "RefusedDrop",        "Dropped",    "GroupCancelled",
      "OverCapacity",     "OutOfMemory",      "StoppedBefore",      "Moved",      "MovedCancelled",
      "Destroyed",        "DestroyedWhenHeld"};
  static constexpr const char* engines[] = {"Worker", "Pool", "KeyedPool", "VirtualTime", "Caller"};
  return std::string(events[static_cast<int>(std::get<0>(info.param))]) + "On" +
         engines[static_cast<int>(std::get<1>(info.param))];
}

}  // namespace detent::testing
