// SPDX-License-Identifier: MIT
// Memory runs out in features that few programs use: groups, lists of pending timers, recordings, counters files,
// captured origins. Each call is carried out or refused as a whole, and the engine continues.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "support/engine_captures.hpp"
#include "support/recorded_trace.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::bare_engine;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using hostile::walk_creation;
using testing::bystander;
using testing::census;

TEST(BadAllocFeatures, GroupIsMadeOrRefused) {
  walk([](fault_scope& scope) {
    census members;
    bare_engine bare;
    std::optional<timer_group> made;
    const outcome came = scope.during([&] { made.emplace(bare.engine); });
    EXPECT_EQ(made.has_value(), came == outcome::done);
    timer_group next(bare.engine);
    for (timer_group* group : {made ? &*made : &next, &next}) group->schedule_after(1h, [here = members.join()] {});
    EXPECT_EQ(members.living(), 2);
    made.reset();
    next.cancel_all();
    bare.engine.poll();
    EXPECT_EQ(members.living(), 0);
    bare.expect_works();
  });
}

TEST(BadAllocFeatures, MemberIsScheduledOrRefused) {
  walk([](fault_scope& scope) {
    census members;
    bare_engine bare;
    timer_group group(bare.engine);
    timer made;
    const outcome came = scope.during([&] { made = group.schedule_after(1h, bystander<100>{.here = members.join()}); });
    EXPECT_EQ(came == outcome::done, static_cast<bool>(made));
    EXPECT_EQ(members.living(), made ? 1 : 0);
    EXPECT_EQ(group.pending(), made ? 1u : 0u);
    EXPECT_EQ(bare.engine.pending(), made ? 1u : 0u);
    bare.expect_works();
  });
}

// A poll() scans 100,000 members; before it comes to the others their list has no memory for a new one. The nodes
// are not in the order of the list then: its first members have the later ones.
TEST(BadAllocFeatures, AGroupThatIsHalfReclaimedWhenItsListCannotGrowLosesAllThatWereCancelled) {
  constexpr std::size_t a_poll = 100'000;
  bare_engine bare;
  timer_group group(bare.engine);
  auto add_members = [&] {
    for (std::size_t i = 0; i < a_poll; ++i) group.schedule_after(1h, [] {});
    bare.engine.poll();
  };
  std::vector<timer> earlier(a_poll);
  for (timer& each : earlier) each = bare.engine.schedule_after(1h, [] {});
  add_members();
  for (timer& each : earlier) each.cancel();
  bare.engine.poll();
  add_members();
  group.cancel_all();
  bare.engine.poll();
  EXPECT_EQ(group.pending(), a_poll);
  constexpr std::size_t more = 2 * a_poll;  // than what those took that have gone
  for (std::size_t i = 0; i < more; ++i) group.schedule_after(1h, [] {});
  hostile::arm_faults(hostile::faults::from_then, 1);
  bare.engine.poll();
  EXPECT_GT(hostile::disarm_faults(), 0u) << "there was memory for the list";
  for (int polls = 0; polls < 10; ++polls) bare.engine.poll();
  EXPECT_EQ(group.pending(), more);
  bare.expect_works();
}

// Copied without a throw, and too large for a node: all of one call share one.
struct large_callback {
  census::token here;
  std::array<std::byte, 200> padding{};
  void operator()(std::size_t) const {}
};

TEST(BadAllocFeatures, ManyOfALargeCallableAreDoneAsFarAsThereIsMemory) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare;
    std::vector<timer> out(3'000);
    const std::vector<time_point> deadlines(out.size(), time_point(1us));
    std::size_t made = 0;
    scope.during(
        [&] { made = bare.engine.schedule_at_bulk(deadlines, large_callback{.here = callables.join()}, out); });
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(static_cast<bool>(out[i]), i < made);
    EXPECT_EQ(bare.engine.pending(), made);
    EXPECT_EQ(callables.living() != 0, made != 0);
    EXPECT_EQ(bare.engine.cancel_bulk(out), made);
    EXPECT_EQ(callables.living(), 0);
    bare.expect_works();
  });
}

TEST(BadAllocFeatures, PendingTimersAreListedOrRefused) {
  walk([](fault_scope& scope) {
    bare_engine bare({.capture_origin = true});
    for (int i = 0; i < 40; ++i) bare.engine.schedule_after(1h, [] {});
    std::vector<pending_timer> reported;
    const outcome came = scope.during([&] { reported = bare.engine.list_pending(); });
    EXPECT_EQ(reported.size(), came == outcome::done ? 40u : 0u);
    EXPECT_EQ(bare.engine.pending(), 40u);
    bare.expect_works();
  });
}

TEST(BadAllocFeatures, OriginIsCapturedOrTheTimerRefused) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare({.capture_origin = true});
    std::size_t made = 0;
    scope.during([&] {
      for (int i = 0; i < 1'500; ++i)
        made += bare.engine.try_schedule_after(1h, bystander<0>{.here = callables.join()}) ? 1u : 0u;
    });
    EXPECT_EQ(callables.living(), static_cast<int>(made));
    EXPECT_EQ(bare.engine.pending(), made);
    const std::vector<pending_timer> reported = bare.engine.list_pending();
    EXPECT_EQ(reported.size(), made);
    for (const pending_timer& each : reported) EXPECT_NE(each.file, nullptr);
    bare.expect_works();
  });
}

// --- Engines that write files

TEST(BadAllocFeatures, EngineThatWritesAFileIsWholeOrNothing) {
  testing::recording_place place;
  for (const std::string& counters : {place.path("counters"), std::string("auto")}) {
    walk_creation([&] { return engine_options{.drive = drive_kind::caller, .reserve = 0, .counters_file = counters}; });
  }
  walk_creation([&] { return engine_options{.drive = drive_kind::caller, .reserve = 0, .record = place.path()}; });
}

TEST(BadAllocFeatures, RecordedCallsAreDoneOrRefused) {
  testing::recording_place place;
  walk([&](fault_scope& scope) {
    census callables;
    bare_engine bare({.record = place.path()});
    timer_group group(bare.engine);
    std::size_t made = 0;
    scope.during([&] {
      for (int i = 0; i < 700; ++i)
        made += bare.engine.try_schedule_after(1h, bystander<0>{.here = callables.join()}) ? 1u : 0u;
      made += group.try_schedule_after(1h, bystander<0>{.here = callables.join()}) ? 1u : 0u;
      group.pause();
      bare.engine.poll();
    });
    EXPECT_EQ(callables.living(), static_cast<int>(made));
    EXPECT_EQ(bare.engine.pending(), made);
    EXPECT_EQ(bare.engine.stop().size(), made);
  });
}

}  // namespace
}  // namespace detent
