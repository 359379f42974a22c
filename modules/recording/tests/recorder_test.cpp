// SPDX-License-Identifier: MIT
// The recorder by itself: what it makes of operations that come in an order in which an engine's threads may report
// them.
#include "../src/recorder.hpp"

#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "support/engine_eventually.hpp"
#include "support/platform/asleep.hpp"
#include "support/recorded_trace.hpp"

namespace detent::detail {
namespace {

using testing::eventually;
using testing::recorded_trace;

constexpr std::uint32_t some = 3;  // a node's index

// For use by an attempt.
auto arming(operation_kind kind, std::uint32_t generation, nanoseconds_t deadline, std::uint32_t index = some) {
  return [=]() -> operation { return {.deadline = deadline, .id = operation_id(index, generation), .kind = kind}; };
}

// A schedule call that is not refused. `group` may be null.
void scheduled(recorder& to, std::uint32_t index, std::uint32_t generation, nanoseconds_t deadline, const void* group) {
  recorded_attempt made(&to, [&]() -> operation {
    operation armed = arming(operation_kind::schedule, generation, deadline, index)();
    armed.group = group;
    return armed;
  });
  made.took_effect();
}

class Recorder : public ::testing::Test {
 protected:
  recorder& start(std::size_t room = 64) {
    made_.emplace(time_, room);
    std::string why;
    EXPECT_EQ(made_->open(place_.path(), "e", why), errc{}) << why;
    EXPECT_EQ(made_->begin(why), errc{}) << why;
    return *made_;
  }
  recorded_trace stop() {
    made_->close();
    return recorded_trace::of_file(place_.path());
  }
  void advance_to(std::int64_t ns) { clock_.advance_to(time_point(duration(ns))); }

  testing::recording_place place_;
  manual_clock clock_;
  clock_reader time_{&clock_, nullptr};
  std::optional<recorder> made_;
};

TEST_F(Recorder, DropsWhatFindsNoRoomAndSaysSo) {
  recorder& r = start(8);
  scheduled(r, some, 0, 100, nullptr);
  EXPECT_TRUE(eventually([&] { return recorded_trace::of_file(place_.path()).rows.size() == 1; }));
  {
    recorded_attempt held(&r, arming(operation_kind::restart, 0, 200));  // held back, so nothing after it is taken out
    for (std::uint32_t i = 0; i < 20; ++i) scheduled(r, 10 + i, 0, 100, nullptr);
    EXPECT_EQ(r.dropped(), 13u);
    held.took_effect();
  }
  EXPECT_TRUE(eventually([&] { return recorded_trace::of_file(place_.path()).rows.size() == 9; }));
  // The next operation reports the losses; later ones do not, nor does the one that uses its place again.
  for (std::uint32_t generation = 1; generation != 13; ++generation) {
    scheduled(r, some, generation, 100, nullptr);
    if (generation % 4 != 0) continue;  // there is room for these
    EXPECT_TRUE(eventually([&] { return recorded_trace::of_file(place_.path()).rows.size() == 9 + generation; }));
  }
  EXPECT_EQ(r.dropped(), 13u);
  const auto trace = stop();
  EXPECT_EQ(trace.rows.size(), 21u);
  EXPECT_EQ(trace.dropped, 13u);
  EXPECT_EQ(trace.losses, 1u);
  EXPECT_EQ(trace.rows_before_first_loss, 9u);  // before the place where they are missing
}

TEST_F(Recorder, LeavesOutAndCountsWhatBelongsToAnArmingThatWasLost) {
  recorder& r = start();
  r.cancelled(some, 7);
  { recorded_attempt(&r, arming(operation_kind::restart, 7, 1)).took_effect(); }
  r.ended(operation_kind::fire, some, 7, 5);
  const auto trace = stop();
  EXPECT_EQ(trace.rows.size(), 0u);
  EXPECT_EQ(trace.dropped, 3u);
  EXPECT_EQ(r.dropped(), 3u);
}

TEST_F(Recorder, GivesALateOneTheTimeOfTheRowBeforeAndKeepsItsDeadline) {
  recorder& r = start();
  advance_to(50);
  scheduled(r, some, 0, 100, nullptr);
  r.ended(operation_kind::fire, some, 0, 40);
  scheduled(r, some, 1, 45, nullptr);
  EXPECT_EQ(stop().text(), "50,S,a,50,schedule\n50,X,a,,fire\n50,S,b,0,schedule\n");
}

TEST_F(Recorder, PutsARestartAfterTheReArmingThatItFound) {
  recorder& r = start();
  scheduled(r, some, 0, 10, nullptr);
  advance_to(10);
  r.ended(operation_kind::fire, some, 0, 10);
  {
    recorded_attempt restart(&r, arming(operation_kind::restart, 0, 99));
    recorded_attempt rearm(&r, arming(operation_kind::rearm, 0, 50));
    rearm.took_effect();
    restart.took_effect();
  }
  const auto trace = stop();
  EXPECT_EQ(trace.text(), "0,S,a,10,schedule\n10,X,a,,fire\n10,S,a,40,rearm\n10,R,a,89,restart\n");
  EXPECT_EQ(trace.dropped, 0u);
}

TEST_F(Recorder, PutsARestartAfterNoReArmingOfAnotherTimer) {
  recorder& r = start();
  constexpr std::uint32_t other = some + 1;
  for (const std::uint32_t index : {some, other}) {
    scheduled(r, index, 0, 10, nullptr);
    r.ended(operation_kind::fire, index, 0, 10);
  }
  { recorded_attempt(&r, arming(operation_kind::restart, 0, 99)).took_effect(); }
  { recorded_attempt(&r, arming(operation_kind::restart, 0, 88, other)).took_effect(); }
  { recorded_attempt(&r, arming(operation_kind::rearm, 0, 50)).took_effect(); }
  r.ended(operation_kind::fire, some, 0, 99);
  { recorded_attempt(&r, arming(operation_kind::rearm, 0, 60, other)).took_effect(); }
  const auto trace = stop();
  EXPECT_EQ(trace.text(),
            "0,S,a,10,schedule\n10,X,a,,fire\n10,S,b,0,schedule\n10,X,b,,fire\n"
            "10,S,a,40,rearm\n10,R,a,89,restart\n99,X,a,,fire\n"
            "99,S,b,0,rearm\n99,R,b,0,restart\n");
  EXPECT_EQ(trace.dropped, 0u);
}

TEST_F(Recorder, CountsARestartWhoseReArmingWasLost) {
  recorder& r = start();
  scheduled(r, some, 0, 10, nullptr);
  r.ended(operation_kind::fire, some, 0, 10);
  { recorded_attempt(&r, arming(operation_kind::restart, 0, 99)).took_effect(); }
  EXPECT_EQ(stop().dropped, 1u);
}

TEST_F(Recorder, KnowsAnEndThatIsReportedAfterTheNextGenerationsOfItsNode) {
  recorder& r = start();
  for (std::uint32_t generation = 0; generation < 32; ++generation) scheduled(r, some, generation, 100, nullptr);
  for (std::uint32_t generation = 0; generation < 32; ++generation) r.cancelled(some, generation);
  auto trace = stop();
  EXPECT_EQ(trace.count('C'), 32u);
  EXPECT_EQ(trace.dropped, 0u);
}

TEST_F(Recorder, CountsWhatComesAfterItsEnd) {
  recorder& r = start();
  EXPECT_EQ(stop().dropped, 0u);
  scheduled(r, some, 0, 100, nullptr);
  EXPECT_EQ(r.dropped(), 1u);
}

TEST_F(Recorder, DoesNotWaitForEverForAThreadThatNeverFinishes) {
  recorder& r = start();
  std::unique_ptr<recorded_attempt> held;
  held = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 0, 200));
  scheduled(r, some, 1, 100, nullptr);
  const auto trace = stop();
  EXPECT_EQ(trace.rows.size(), 0u);
  EXPECT_EQ(trace.dropped, 2u);
}

// This holds however long ago it wrote its last row.
TEST_F(Recorder, WaitsAtItsEndForAThreadBetweenTwoInstructions) {
  recorder& r = start();
  scheduled(r, some, 0, 100, nullptr);
  std::unique_ptr<recorded_attempt> held;
  EXPECT_TRUE(eventually([&] { return recorded_trace::of_file(place_.path()).rows.size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // longer than its patience
  held = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 0, 200));
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    held->took_effect();
  });
  const auto trace = stop();
  late.join();
  EXPECT_EQ(trace.rows.size(), 2u);
  EXPECT_EQ(trace.dropped, 0u);
}

TEST_F(Recorder, CountsAnAttemptThatFoundNoRoomIfItTookEffect) {
  recorder& r = start(2);
  std::unique_ptr<recorded_attempt> held, next;
  held = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 0, 1));
  next = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 1, 1));
  { recorded_attempt without_effect(&r, arming(operation_kind::restart, 0, 2)); }
  EXPECT_EQ(r.dropped(), 0u);
  { recorded_attempt(&r, arming(operation_kind::restart, 0, 3)).took_effect(); }
  EXPECT_EQ(r.dropped(), 1u);
  held.reset();
  next.reset();
  EXPECT_EQ(stop().dropped, 1u);
}

// The thread of such an attempt may be held up until after the engine's stop().
TEST_F(Recorder, WaitsAtItsEndForAnAttemptThatFoundNoRoom) {
  recorder& r = start(2);
  std::unique_ptr<recorded_attempt> held, next, without_room;
  held = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 0, 1));
  next = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 1, 1));
  without_room = std::make_unique<recorded_attempt>(&r, arming(operation_kind::restart, 0, 3));
  held.reset();
  next.reset();
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    without_room->took_effect();
    without_room.reset();
  });
  EXPECT_EQ(stop().dropped, 1u);
  late.join();
  EXPECT_EQ(r.dropped(), 1u);
}

// More generations are lost than the recorder remembers. It must not take one of them for a generation that it has a
// row of.
TEST_F(Recorder, KnowsNoGenerationBetweenTwoThatAreFarApart) {
  recorder& r = start();
  scheduled(r, some, 1, 100, nullptr);
  scheduled(r, some, 34, 100, nullptr);
  r.cancelled(some, 33);
  r.cancelled(some, 34);
  const auto trace = stop();
  EXPECT_EQ(trace.count('C'), 1u);
  EXPECT_EQ(trace.dropped, 1u);
}

TEST_F(Recorder, MovesNoMemberOfAnotherGroup) {
  recorder& r = start();
  const int group = 0, other = 0;
  scheduled(r, some, 0, 10, &group);
  scheduled(r, some, 1, 10, &other);
  r.turned(operation_kind::pause, &group);
  scheduled(r, some, 2, 20, &other);
  r.turned(operation_kind::resume, &group);
  EXPECT_EQ(stop().text(),
            "0,S,a,10,schedule\n0,S,b,10,schedule\n0,R,a,9223372036854775807,pause\n"
            "0,S,c,20,schedule\n0,R,a,10,resume\n");
}

// A writer that spins may keep a thread that has taken a place from filling it.
TEST_F(Recorder, SleepsAtTheEndUntilAPlaceIsFilled) {
  recorder& r = start();
  drive::sleeper closes;
  std::thread closing;
  {
    recorded_attempt held(&r, arming(operation_kind::schedule, 0, 200));
    closing = std::thread([&] {
      closes.lies_down();
      r.close();
    });
    EXPECT_TRUE(closes.sleeps());
    // The writer may not have named itself yet.
    EXPECT_TRUE(eventually([] {
      const auto writer = drive::thread_folder("detent-record");
      return writer && drive::status_field(*writer, "State").rfind('S', 0) == 0;
    }));
    held.took_effect();
  }
  closing.join();
  EXPECT_EQ(recorded_trace::of_file(place_.path()).rows.size(), 1u);
}

}  // namespace
}  // namespace detent::detail
