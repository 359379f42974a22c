// SPDX-License-Identifier: MIT
// The driver has taken timers out of the queue and not yet inserted them, or left them there on purpose. None of them
// may be forgotten or overtaken.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::eventually;

// An engine whose driver has taken out all of a hundred entries and inserted 64: asked for its descriptor, it stops
// there because something is due.
class EngineDrain : public drive::in_virtual_time {
 protected:
  static constexpr int submitted = 100;
  EngineDrain() {
    clock_.advance_to(at(1000));
    for (int id = 0; id < submitted; ++id) engine_.schedule_at(at(500), rig_.note(id));
    static_cast<void>(engine_.wake_fd());
  }
};

TEST_F(EngineDrain, GoesOnWithWhatItHadTakenOutBefore) {
  EXPECT_EQ(engine_.poll(), static_cast<std::size_t>(submitted));
  ASSERT_EQ(fired_.size(), static_cast<std::size_t>(submitted));
  for (int id = 0; id < submitted; ++id) EXPECT_EQ(fired_[static_cast<std::size_t>(id)], id);
}

TEST_F(EngineDrain, AcceptsWhatCameAfterItHadTakenOutAllThereWas) {
  engine_.schedule_at(at(100), rig_.note(submitted));
  EXPECT_EQ(engine_.poll(1), 1u);
  EXPECT_EQ(fired_, drive::ids{submitted}) << "something later fired first";
}

class EngineDrainWhole : public drive::in_virtual_time {};

TEST_F(EngineDrainWhole, AcceptsEverythingBeforeItFiresTheFirst) {
  constexpr int submitted = 2000;  // more than the driver takes out at a time, the earliest last
  for (int id = 0; id < submitted; ++id) engine_.schedule_at(at(submitted - id), rig_.note(id));
  EXPECT_EQ(rig_.poll_at(at(submitted), 1), 1u);
  EXPECT_EQ(fired_, drive::ids{submitted - 1});
}

// Rung for something ahead, the worker leaves a long queue alone; it must come back for what it was rung for.
TEST(EngineDrainLater, ComesBackForWhatItWasRungForAfterALongQueue) {
  engine worker({.name = "sleeps", .wait = wait_options::sleep()});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (int i = 0; i < 6000; ++i) worker.schedule_after(2h, [] {});
  std::atomic<bool> fired{false};
  worker.schedule_after(200ms, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

// Fewer entries than a thread announces at a time, from each of many: they must not pile up unannounced.
TEST(EngineDrainLater, AcceptsWhatManyShortThreadsLeft) {
  engine worker({.name = "sleeps", .wait = wait_options::sleep()});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      for (int each = 0; each < 60; ++each) worker.schedule_after(2h, [] {});
    }).join();
  }
  EXPECT_TRUE(eventually([&] { return worker.metrics().drained >= 4000; }));
}

TEST(EngineDrainLater, AcceptsWhatManySmallBatchesLeft) {
  engine worker({.name = "sleeps", .wait = wait_options::sleep()});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  const std::vector<time_point> deadlines(60, worker.now() + 2h);
  std::vector<timer> made(deadlines.size());
  for (int i = 0; i < 200; ++i)
    worker.schedule_at_bulk(
        deadlines, [](std::size_t) {}, made);
  EXPECT_TRUE(eventually([&] { return worker.metrics().drained >= detail::limits::least_backlog / 2; }));
}

TEST(EngineDrainLater, IsNotRungOnceMoreForWhatItHasLeft) {
  constexpr std::size_t enough = detail::limits::least_backlog + detail::limits::report_every;
  engine worker({.name = "sleeps", .wait = wait_options::sleep()});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (std::size_t i = 0; i < enough; ++i) worker.schedule_after(2h, [] {});
  EXPECT_TRUE(eventually([&] { return worker.metrics().drained >= detail::limits::least_backlog / 2; }));
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  const std::uint64_t rings = worker.metrics().rings;
  for (std::size_t i = 0; i < detail::limits::least_backlog / 4; ++i) worker.schedule_after(2h, [] {});
  EXPECT_EQ(worker.metrics().rings, rings);
}

}  // namespace
}  // namespace detent
