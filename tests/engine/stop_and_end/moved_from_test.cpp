// SPDX-License-Identifier: MIT
// An object that was moved from says so and aborts, whichever function is called. It may be destroyed and assigned to.
#include <detent/coroutine.hpp>
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace detent {
namespace {

using namespace std::chrono_literals;

// `call` in a child of this process.
#define EXPECT_REFUSED(object, call)                                     \
  EXPECT_EXIT(static_cast<void>(call), testing::KilledBySignal(SIGABRT), \
              "^detent: [a-z_]+\\(\\) was called on a detent::" object " that has been moved from\n$")

class MovedFrom : public testing::Test {
 protected:
  manual_clock clock;
  engine gone{{.manual = &clock}};
  engine kept{std::move(gone)};
};

class MovedFromEngine : public MovedFrom {};
class MovedFromGroup : public MovedFrom {
 protected:
  timer_group old{kept};
  timer_group now{std::move(old)};
};

// NOLINTBEGIN(bugprone-use-after-move): that is what the tests are about

TEST_F(MovedFromEngine, RefusesToSchedule) {
  auto boxed = [text = std::string("longer than a capture may be")] {};
  timer_options options{.lane = 1};
  EXPECT_REFUSED("engine", gone.schedule_at(clock.now(), [] {}));
  EXPECT_REFUSED("engine", gone.schedule_at(clock.now(), boxed));
  EXPECT_REFUSED("engine", gone.schedule_at(
                               clock.now(), [] {}, options));
  EXPECT_REFUSED("engine", gone.schedule_after(1s, [] {}));
  EXPECT_REFUSED("engine", gone.schedule_after(1s, boxed));
  EXPECT_REFUSED("engine", gone.schedule_after(
                               1s, [] {}, options));
  EXPECT_REFUSED("engine", gone.schedule_after(1s, base::stop_token(), [] {}));
  EXPECT_REFUSED("engine", gone.schedule_at_fixed_rate(1s, 1s, [] {}));
  EXPECT_REFUSED("engine", gone.schedule_with_fixed_delay(1s, 1s, [] {}));
}

TEST_F(MovedFromEngine, RefusesWhatNeverThrows) {
  EXPECT_REFUSED("engine", gone.try_schedule_at(clock.now(), [] {}));
  EXPECT_REFUSED("engine", gone.try_schedule_after(1s, [] {}));
  EXPECT_REFUSED("engine", gone.try_schedule_at(clock.now(), [] {}, {.lane = 1}));
  EXPECT_REFUSED("engine", gone.try_schedule_after(1s, [] {}, {.lane = 1}));
  EXPECT_REFUSED("engine", gone.try_schedule_at_fixed_rate(1s, 1s, [] {}));
  EXPECT_REFUSED("engine", gone.try_schedule_with_fixed_delay(1s, 1s, [] {}));
  failure problem;
  EXPECT_REFUSED("engine", gone.try_stop(problem));
}

TEST_F(MovedFromEngine, RefusesAllElse) {
  std::array<time_point, 2> deadlines{};
  std::array<timer, 2> timers{};
  EXPECT_REFUSED("engine", gone.schedule_at_bulk(
                               deadlines, [](std::size_t) {}, timers));
  EXPECT_REFUSED("engine", gone.cancel_bulk(timers));
  EXPECT_REFUSED("engine", gone.stop());
  EXPECT_REFUSED("engine", gone.stopped());
  EXPECT_REFUSED("engine", gone.pending());
  EXPECT_REFUSED("engine", gone.metrics());
  EXPECT_REFUSED("engine", gone.metrics(label()));
  EXPECT_REFUSED("engine", gone.make_label("name"));
  EXPECT_REFUSED("engine", gone.list_pending());
  EXPECT_REFUSED("engine", gone.now());
  EXPECT_REFUSED("engine", gone.poll());
  EXPECT_REFUSED("engine", gone.next_deadline());
  EXPECT_REFUSED("engine", gone.wake_fd());
  EXPECT_REFUSED("engine", gone.sleep_for(1s));
  EXPECT_REFUSED("engine", gone.sleep_until(clock.now()));
  EXPECT_REFUSED("engine", timer_group(gone));
}

TEST_F(MovedFromEngine, NamesTheCall) {
  EXPECT_EXIT(gone.poll(), testing::KilledBySignal(SIGABRT), "^detent: poll\\(\\) was called");
  EXPECT_EXIT(gone.schedule_at_fixed_rate(1s, 1s, [] {}), testing::KilledBySignal(SIGABRT),
              "^detent: schedule_at_fixed_rate\\(\\) was called");
}

// This includes a thread that has used that engine last.
TEST_F(MovedFromEngine, HasNoFastPath) {
  kept.schedule_after(1h, [] {});
  engine last(std::move(kept));
  EXPECT_REFUSED("engine", kept.schedule_at(clock.now(), [] {}));
  EXPECT_EQ(last.pending(), 1u);
}

TEST_F(MovedFromEngine, MayBeAssignedToAndDestroyed) {
  kept.schedule_after(1h, [] {});
  gone = std::move(kept);
  EXPECT_EQ(gone.pending(), 1u);
  kept = engine({.manual = &clock});
  EXPECT_EQ(kept.pending(), 0u);
  std::optional<engine> other(std::in_place, std::move(kept));
  kept = std::move(*other);
  other.reset();
  EXPECT_FALSE(kept.stopped());
}

TEST_F(MovedFromGroup, RefusesEveryCall) {
  EXPECT_REFUSED("timer_group", old.schedule_at(clock.now(), [] {}));
  EXPECT_REFUSED("timer_group", old.schedule_after(1s, [] {}));
  EXPECT_REFUSED("timer_group", old.schedule_at_fixed_rate(1s, 1s, [] {}));
  EXPECT_REFUSED("timer_group", old.schedule_with_fixed_delay(1s, 1s, [] {}));
  EXPECT_REFUSED("timer_group", old.try_schedule_at(clock.now(), [] {}));
  EXPECT_REFUSED("timer_group", old.try_schedule_after(1s, [] {}));
  EXPECT_REFUSED("timer_group", old.cancel_all());
  EXPECT_REFUSED("timer_group", old.cancel_all_and_wait());
  EXPECT_REFUSED("timer_group", old.pause());
  EXPECT_REFUSED("timer_group", old.resume());
  EXPECT_REFUSED("timer_group", old.pending());
  EXPECT_REFUSED("timer_group", old.id());
}

TEST_F(MovedFromGroup, MayBeAssignedToAndDestroyed) {
  now.schedule_after(1h, [] {});
  old = std::move(now);
  EXPECT_EQ(old.pending(), 1u);
  EXPECT_EQ(kept.pending(), 1u);
}

TEST(MovedFromShardedGroup, RefusesEveryCall) {
  manual_clock clock;
  sharded_engine set({.shards = 2, .each = {.manual = &clock}});
  sharded_group old(set), now(std::move(old));
  EXPECT_REFUSED("sharded_group", old.size());
  EXPECT_REFUSED("sharded_group", old.of(7));
  EXPECT_REFUSED("sharded_group", old.local());
  EXPECT_REFUSED("sharded_group", old.cancel_all());
  EXPECT_REFUSED("sharded_group", old.cancel_all_and_wait());
  EXPECT_REFUSED("sharded_group", old.pause());
  EXPECT_REFUSED("sharded_group", old.resume());
  EXPECT_REFUSED("sharded_group", old.pending());
  EXPECT_EXIT(old[0], testing::KilledBySignal(SIGABRT), "^detent: operator\\[\\]\\(\\) was called");
}

TEST(MovedFromShardedGroup, MayBeAssignedToAndDestroyed) {
  manual_clock clock;
  sharded_engine set({.shards = 2, .each = {.manual = &clock}});
  sharded_group old(set), now(std::move(old));
  now.of(7).schedule_after(1h, [] {});
  old = std::move(now);
  EXPECT_EQ(old.pending(), 1u);
}

// NOLINTEND(bugprone-use-after-move)

}  // namespace
}  // namespace detent
