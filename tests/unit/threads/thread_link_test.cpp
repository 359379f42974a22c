// SPDX-License-Identifier: MIT
#include "threads/thread_link.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/platform/asleep.hpp"

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

}  // namespace
}  // namespace detent::detail
