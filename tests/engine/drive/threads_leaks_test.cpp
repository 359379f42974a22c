// SPDX-License-Identifier: MIT
// Threads and engines that come and go leave nothing behind. Not for sanitized builds, which keep freed memory.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "support/drive_eventually.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

// One heap for all threads: else the C library maps one more, of 64 MB, whenever two happen to allocate at once.
[[maybe_unused]] const int one_heap = mallopt(M_ARENA_MAX, 1);

struct footprint {
  std::size_t threads = drive::threads(), descriptors = drive::descriptors(), mappings = drive::mappings();
  drive::memory_use memory = drive::memory();
};

void expect_still(const footprint& before) {
  // A thread that has ended is listed for a moment more.
  EXPECT_TRUE(eventually([&] { return drive::threads() <= before.threads; }));
  const footprint now;
  EXPECT_EQ(now.descriptors, before.descriptors);
  // The C library keeps the stacks of a few ended threads; a leak would come a hundred times.
  EXPECT_LE(now.mappings, before.mappings + 8);
  EXPECT_LE(now.memory.mapped, before.memory.mapped + (40u << 20));
  EXPECT_LE(now.memory.resident, before.memory.resident + (1u << 20));
}

TEST(EngineThreadsLeaks, TwoThousandShortLivedProducersLeaveMemoryFlat) {
  engine e;
  std::atomic<int> fired{0};
  auto producers = [&](int number) {
    for (int i = 0; i < number; ++i) {
      std::thread([&] {
        for (int k = 0; k < 20; ++k) e.schedule_after(1h, [] {}).cancel();
        e.schedule_after(0ns, [&] { ++fired; });
      }).join();
    }
  };
  producers(200);
  ASSERT_TRUE(eventually([&] { return fired == 200; }));
  const footprint before;
  producers(2000);
  ASSERT_TRUE(eventually([&] { return fired == 2200; }));
  expect_still(before);
}

TEST(EngineThreadsLeaks, AHundredTimersCancelledFromAsManyThreadsGiveTheirNodesBack) {
  engine e;
  auto round = [&] {
    for (int i = 0; i < 100; ++i) {
      timer t = e.schedule_after(1h, [big = std::make_unique<char[]>(4096)] { static_cast<void>(big); });
      std::thread([t]() mutable { t.cancel(); }).join();
    }
  };
  round();
  const footprint before;
  for (int i = 0; i < 20; ++i) round();
  expect_still(before);
}

// It has a record of each while that lives, and frees it at the latest when it makes the next.
TEST(EngineThreadsLeaks, AThreadThatOutlivesManyEnginesKeepsNothingOfThem) {
  auto engines = [](int number) {
    for (int i = 0; i < number; ++i) {
      engine e({.drive = drive_kind::caller, .reserve = 0});
      e.schedule_after(1h, [] {});
    }
  };
  engines(100);
  const footprint before;
  engines(8000);
  expect_still(before);
}

template <class Life>
void expect_no_leak(Life&& life) {
  const std::size_t threads = drive::threads();
  auto repeat = [&](int number) {
    for (int i = 0; i < number; ++i) {
      life();
      // Else a thread that is about to end is a part of what is compared, or several have a stack at once.
      ASSERT_TRUE(eventually([&] { return drive::threads() <= threads; }));
    }
  };
  repeat(2);
  const footprint before;
  repeat(98);
  expect_still(before);
}

TEST(EngineThreadsLeaks, AWorkerDrivenEngineLeavesNothing) {
  expect_no_leak([] {
    engine e;
    for (int i = 0; i < 1000; ++i) e.schedule_after(i % 2 == 0 ? 0ns : 1h, [] {});
  });
}

TEST(EngineThreadsLeaks, ACallerDrivenEngineLeavesNothing) {
  expect_no_leak([] {
    engine e({.drive = drive_kind::caller});
    e.wake_fd();
    for (int i = 0; i < 1000; ++i) e.schedule_after(i % 2 == 0 ? 0ns : 1h, [] {});
    e.poll();
  });
}

TEST(EngineThreadsLeaks, AnEngineWithGroupsLeavesNothing) {
  expect_no_leak([] {
    engine e({.drive = drive_kind::caller});
    timer_group group(e), moved(e);
    for (int i = 0; i < 1000; ++i) group.schedule_after(i % 2 == 0 ? 0ns : 1h, [] {});
    e.poll();
    moved = std::move(group);
  });
}

TEST(EngineThreadsLeaks, AnEngineOnAPoolLeavesNothing) {
  expect_no_leak([] {
    engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
    for (int i = 0; i < 1000; ++i) e.schedule_after(i % 2 == 0 ? 0ns : 1h, [] {});
  });
}

TEST(EngineThreadsLeaks, AnEngineDestroyedByItsOwnCallbackLeavesNothing) {
  expect_no_leak([] {
    std::atomic<bool> scheduled{false}, gone{false};
    auto e = std::make_unique<engine>();
    e->schedule_after(1h, [] {});
    e->schedule_after(0ns, [&] {
      while (!scheduled) std::this_thread::yield();
      e.reset();
      gone = true;
    });
    scheduled = true;
    EXPECT_TRUE(eventually([&] { return gone.load(); }));
  });
}

TEST(EngineThreadsLeaks, AStoppedEngineLeavesNothing) {
  expect_no_leak([] {
    engine e;
    for (int i = 0; i < 1000; ++i) e.schedule_after(1h, [] {});
    EXPECT_EQ(e.stop().size(), 1000u);
  });
}

}  // namespace
}  // namespace detent
