// SPDX-License-Identifier: MIT
// The memory that a thread keeps for an engine, by what the C library's heap says that it has given: the sanitizers
// have a heap of their own.
#include <detent/base/limit.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/drive_allocations.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

std::int64_t heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

// Threads that work in step: each does what step() is told, one after the other.
class threads_in_step {
 public:
  threads_in_step(engine& of, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) threads_.emplace_back([this, &of, i] { work(of, i); });
    while (ready_ != count) std::this_thread::yield();
  }
  // Has each schedule as many timers, and cancel them: an entry each. 0: has it end.
  void step(std::size_t timers) {
    timers_ = timers;
    for (std::size_t i = 0; i != threads_.size(); ++i) {
      turn_ = i;
      while (turn_ == i) std::this_thread::yield();
      if (timers == 0) threads_[i].join();
    }
    if (timers == 0) threads_.clear();
  }
  ~threads_in_step() { step(0); }
  threads_in_step(const threads_in_step&) = delete;
  threads_in_step& operator=(const threads_in_step&) = delete;

 private:
  static constexpr std::size_t nobody = SIZE_MAX;
  void work(engine& of, std::size_t me) {
    std::free(std::malloc(1));  // what the heap keeps for each thread
    ++ready_;
    for (bool ends = false; !ends;) {
      while (turn_ != me) std::this_thread::yield();
      ends = timers_ == 0;
      for (std::size_t i = 0; i != timers_; ++i) of.schedule_after(1h, [] {}).cancel();
      turn_ = nobody;
    }
  }

  std::atomic<std::size_t> ready_{0}, turn_{nobody}, timers_{0};
  std::vector<std::thread> threads_;
};

class EngineThreadMemory : public ::testing::Test {
 protected:
  // Rounds of `timers` each, between two drains.
  void rounds(std::size_t timers) {
    for (int i = 0; i != 20; ++i) {
      threads_.step(timers);
      engine_.poll();
    }
  }
  // Beyond what the heap keeps for each of them. Where they have ended that is gone, so that it is below zero.
  std::int64_t each() const { return (heap_bytes() - before_) / count; }

  manual_clock clock_;
  engine engine_{{.manual = &clock_, .reserve = 0}};
  static constexpr std::int64_t count = 20;
  threads_in_step threads_{engine_, static_cast<std::size_t>(count)};
  const std::int64_t before_ = heap_bytes();
};

TEST_F(EngineThreadMemory, IsFourKilobytesWhileNoMoreThanTwoHundredEntriesWait) {
  rounds(200);
  EXPECT_LE(each(), base::limits_are_tight ? 8'192 : 4'096);  // in blocks of four entries
}

TEST_F(EngineThreadMemory, StaysAfterABurstUntilTheThreadsEnd) {
  rounds(8'000);
  EXPECT_GE(each(), 8'000 * 8);
  threads_.step(0);
  EXPECT_LE(each(), 2'048);
}

// Its queued entries go when the driver has taken them.
TEST_F(EngineThreadMemory, GoesBackWhereTheThreadEndedBeforeTheDriverCame) {
  threads_.step(8'000);
  threads_.step(0);
  EXPECT_GE(each(), 8'000 * 8);
  engine_.poll();
  EXPECT_LE(each(), 2'048);
}

// Beyond the reserve, or where another thread has the blocks that were made ahead, the first burst allocates them: one
// for each 64 entries. The thread keeps them for the next.
TEST(EngineThreadBurst, AllocatesBeyondTheReserveTheFirstTime) {
  constexpr std::uint64_t entries = 20'000;
  manual_clock clock;
  engine e({.manual = &clock, .reserve = 4096});
  const auto burst = [&] {
    const std::uint64_t before = drive::allocations();
    for (std::uint64_t i = 0; i != entries; ++i) e.schedule_after(1h, [] {}).cancel();
    const std::uint64_t allocated = drive::allocations() - before;
    e.poll();
    return allocated;
  };
  const std::uint64_t first = burst();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, entries / detail::limits::entries_a_block + 20);
  EXPECT_EQ(burst(), 0u);
}

}  // namespace
}  // namespace detent
