// SPDX-License-Identifier: MIT
#include <detent/base/atomic.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/joined_thread.hpp"

namespace detent::base {
namespace {

TEST(AtomicPair, KeepsTheHalvesTogetherWhileThreadsExchangeThem) {
  constexpr std::uint64_t rounds = 1'000'000;
  atomic_pair pair;
  std::vector<std::uint64_t> torn(2, 0);
  std::atomic<int> ready{0};
  testing::on_threads(torn.size(), [&](std::size_t self) {
    ready.fetch_add(1);
    while (ready.load() < 2) cpu_pause();
    for (std::uint64_t done = 0; done != rounds;) {
      pair_value seen{pair.low.load(acquire), pair.high.load(acquire)};  // perhaps of two moments: then it must fail
      if (!pair.compare_exchange(seen, {seen.low + 1, seen.high + 3})) continue;
      if (seen.high != 3 * seen.low) ++torn[self];
      ++done;
    }
  });
  EXPECT_EQ(torn, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(pair.low.load(relaxed), 2 * rounds);
  EXPECT_EQ(pair.high.load(relaxed), 6 * rounds);
}

TEST(AtomicPair, LosesNothingThatOthersDoToOneHalf) {
  constexpr std::uint64_t rounds = 200'000;
  atomic_pair pair;
  std::thread others([&pair] {
    for (std::uint64_t i = 0; i != rounds; ++i) pair.low.fetch_add(1, relaxed);
  });
  for (std::uint64_t done = 0; done != rounds;) {
    const pair_value seen{pair.low.load(relaxed), pair.high.load(relaxed)};
    if (pair.compare_exchange(seen, {seen.low + 1, seen.high + 1})) ++done;
  }
  others.join();
  EXPECT_EQ(pair.low.load(relaxed), 2 * rounds);
  EXPECT_EQ(pair.high.load(relaxed), rounds);
}

// A fault here is a race for the thread sanitizer.
TEST(AtomicPair, PassesOnWhatWasDoneBefore) {
  atomic_pair pair;
  int value = 0;
  std::thread by_pair([&] {
    while (!pair.compare_exchange({1, 0}, {2, 2})) cpu_pause();
    ++value;
    EXPECT_TRUE(pair.compare_exchange({2, 2}, {2, 3}));
  });
  std::thread by_half([&] {
    while (pair.high.load(acquire) != 3) cpu_pause();
    ++value;
  });
  ++value;
  pair.low.store(1, release);
  by_pair.join();
  by_half.join();
  EXPECT_EQ(value, 3);
}

TEST(Futex, DoesNotSleepOnAChangedWord) {
  atomic<std::uint32_t> word{1};
  EXPECT_EQ(futex_wait(word, 0, INT64_MAX), futex_result::changed);
}

TEST(Futex, ReturnsAtOnceIfTheDeadlineIsPast) {
  atomic<std::uint32_t> word{0};
  for (std::int64_t past : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1'000'000'000}, INT64_MIN}) {
    EXPECT_EQ(futex_wait(word, 0, past), futex_result::timed_out) << past;
  }
}

}  // namespace
}  // namespace detent::base
