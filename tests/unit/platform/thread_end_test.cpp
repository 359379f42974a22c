// SPDX-License-Identifier: MIT
// Functions that are called for a thread when it ends.
#include "platform/thread_end.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace detent::detail {
namespace {

thread_local int own = 1;
int seen = 0, calls = 0;

void note_own() {
  seen = own;
  ++calls;
}

// With MinGW the destructor of a thread-local object sees such a variable as it was at first.
TEST(AtThreadEnd, TheCallSeesTheThreadsVariables) {
  for (int threads = 1; threads <= 2; ++threads) {
    std::thread([threads] {
      own = 40 + threads;
      at_thread_end(note_own);
      at_thread_end(note_own);
    }).join();
    EXPECT_EQ(seen, 40 + threads);
    EXPECT_EQ(calls, threads);
  }
}

TEST(ThreadEnd, FreesTheValueThatTheThreadHasSetLast) {
  static int freed = 0;
  static const thread_end end([](void* value) { freed += *static_cast<int*>(value); });
  int first = 1, last = 10;
  std::thread([&] {
    end.set(&first);
    end.set(&last);
  }).join();
  EXPECT_EQ(freed, 10);
}

}  // namespace
}  // namespace detent::detail
