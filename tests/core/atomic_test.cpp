// SPDX-License-Identifier: MIT
#include <detent/base/atomic.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/drive_asleep.hpp"

namespace detent::base {
namespace {

TEST(AtomicPair, ExchangesBothHalvesOrNone) {
  atomic_pair pair;
  EXPECT_TRUE(pair.compare_exchange({0, 0}, {1, UINT64_MAX}));
  for (pair_value wrong : {pair_value{1, 0}, pair_value{0, UINT64_MAX}, pair_value{UINT64_MAX, 1}}) {
    EXPECT_FALSE(pair.compare_exchange(wrong, {5, 6}));
    EXPECT_EQ(pair.low.load(relaxed), 1U);
    EXPECT_EQ(pair.high.load(relaxed), UINT64_MAX);
  }
  EXPECT_TRUE(pair.compare_exchange({1, UINT64_MAX}, {UINT64_MAX, 1}));
  EXPECT_EQ(pair.low.load(relaxed), UINT64_MAX);
  EXPECT_EQ(pair.high.load(relaxed), 1U);
}

TEST(AtomicPair, KeepsTheHalvesTogetherWhileThreadsExchangeThem) {
  constexpr std::uint64_t rounds = 1'000'000;
  atomic_pair pair;
  std::vector<std::uint64_t> torn(2, 0);
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self != 2; ++self) {
    threads.emplace_back([&pair, &ready, &bad = torn[self]] {
      ready.fetch_add(1);
      while (ready.load() < 2) cpu_pause();
      for (std::uint64_t done = 0; done != rounds;) {
        pair_value seen{pair.low.load(acquire), pair.high.load(acquire)};  // perhaps of two moments: then it must fail
        if (!pair.compare_exchange(seen, {seen.low + 1, seen.high + 3})) continue;
        if (seen.high != 3 * seen.low) ++bad;
        ++done;
      }
    });
  }
  for (std::thread& each : threads) each.join();
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

// What is wrong here is a race to the thread sanitizer.
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

std::int64_t nanoseconds_from_now(std::int64_t delay) {
  return std::chrono::steady_clock::now().time_since_epoch().count() + delay;
}

TEST(Futex, DoesNotSleepOnAChangedWord) {
  atomic<std::uint32_t> word{1};
  EXPECT_EQ(futex_wait(word, 0, INT64_MAX), futex_result::changed);
}

TEST(Futex, SleepsUntilItsDeadline) {
  atomic<std::uint32_t> word{0};
  std::int64_t deadline = nanoseconds_from_now(2'000'000);
  futex_result result = futex_result::interrupted;
  while (result == futex_result::interrupted) result = futex_wait(word, 0, deadline);
  EXPECT_EQ(result, futex_result::timed_out);
  EXPECT_GE(nanoseconds_from_now(0), deadline);
}

TEST(Futex, ReturnsAtOnceIfTheDeadlineIsPast) {
  atomic<std::uint32_t> word{0};
  for (std::int64_t past : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1'000'000'000}, INT64_MIN}) {
    EXPECT_EQ(futex_wait(word, 0, past), futex_result::timed_out) << past;
  }
}

TEST(Futex, IsWoken) {
  for (int round = 0; round < 5; ++round) {
    atomic<std::uint32_t> word{0};
    drive::sleeper waits;
    std::thread sleeper([&] {
      waits.lies_down();
      while (word.load(acquire) == 0) futex_wait(word, 0, INT64_MAX);
    });
    EXPECT_TRUE(waits.sleeps());
    word.store(1, release);
    futex_wake(word, 1);
    sleeper.join();
  }
}

}  // namespace
}  // namespace detent::base
