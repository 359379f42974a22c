// SPDX-License-Identifier: MIT
#include "threads/thread_link.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "support/drive_asleep.hpp"

namespace detent::detail {
namespace {

TEST(ThreadLink, IsAdoptedOnceAfterItsThreadHasLeft) {
  thread_link link;
  ASSERT_TRUE(link.leave());
  EXPECT_FALSE(link.adopt()) << "its thread is still inside the engine";
  link.left();
  EXPECT_TRUE(link.adopt());
  EXPECT_FALSE(link.adopt());
  EXPECT_TRUE(link.leave()) << "adopted, it ends as any other";
}

TEST(ThreadLink, IsTheEnginesToFreeIfTheThreadLeftFirst) {
  thread_link link;
  ASSERT_TRUE(link.leave());
  link.left();
  EXPECT_TRUE(link.end_engine());
}

TEST(ThreadLink, IsTheThreadsToFreeIfTheEngineEndedFirst) {
  thread_link link;
  EXPECT_FALSE(link.end_engine());
  EXPECT_TRUE(link.engine_gone());
  EXPECT_FALSE(link.adopt());
  EXPECT_FALSE(link.leave());
}

TEST(ThreadLink, HoldsTheEnginesEndUntilAThreadHasLeft) {
  thread_link link;
  std::atomic<bool> still_inside{true};
  drive::sleeper ending;
  ASSERT_TRUE(link.leave());
  std::thread engine([&] {
    ending.lies_down();
    EXPECT_TRUE(link.end_engine());
    EXPECT_FALSE(still_inside.load());
  });
  EXPECT_TRUE(ending.sleeps()) << "it spins";
  still_inside.store(false);
  link.left();
  engine.join();
}

TEST(ThreadLink, IsFreedByExactlyOneSideOfARace) {
  constexpr int rounds = 8'000;
  for (int round = 0, spin = 0; round < rounds; round += 1'000, ++spin) {
    std::barrier both(2);
    thread_link links[1'000];
    std::atomic<int> freed{0}, touched_too_late{0};
    std::atomic<bool> engine_ended[1'000]{};
    std::thread thread([&] {
      for (int i = 0; i < 1'000; ++i) {
        both.arrive_and_wait();
        for (int wait = 0; wait < spin; ++wait) base::cpu_pause();
        if (!links[i].leave()) {
          freed.fetch_add(1);
          continue;
        }
        if (engine_ended[i].load()) touched_too_late.fetch_add(1);
        links[i].left();
      }
    });
    for (int i = 0; i < 1'000; ++i) {
      both.arrive_and_wait();
      if (links[i].end_engine()) freed.fetch_add(1);
      engine_ended[i].store(true);
    }
    thread.join();
    ASSERT_EQ(freed.load(), 1'000);
    ASSERT_EQ(touched_too_late.load(), 0);
  }
}

}  // namespace
}  // namespace detent::detail
