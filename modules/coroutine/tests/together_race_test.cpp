// SPDX-License-Identifier: MIT
// Limits and branches that end at one moment, on several threads.
#include <detent/detent.hpp>
#include <detent/interval.hpp>
#include <detent/when.hpp>
#include <detent/with_timeout.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "support/coroutine_tasks.hpp"
#include "support/engine_eventually.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using test::new_seed;
using test::random_source;
using testing::eventually;
using testing::free_task;

constexpr int rounds = 2000;

std::shared_ptr<executor> two_threads() { return std::make_shared<thread_pool>(thread_pool_options{.threads = 2}); }

TEST(CoroutineTogetherRace, ALimitAndWhatItLimitsEndTogether) {
  engine limits({.executor = two_threads()}), sleeps({.executor = two_threads()});
  random_source random(new_seed());
  std::atomic<int> ended{0};
  auto limited = [&](duration sleep, duration limit) -> free_task {
    const std::optional<bool> in_time = co_await with_timeout(limits, limit, sleeps.sleep_for(sleep));
    if (!in_time || *in_time) ended.fetch_add(1);
  };
  for (int i = 0; i < rounds; ++i) limited(duration(random.between(0, 200'000)), duration(random.between(0, 200'000)));
  EXPECT_TRUE(eventually([&] { return ended == rounds; }));
  EXPECT_TRUE(eventually([&] { return limits.pending() + sleeps.pending() == 0; }));
}

TEST(CoroutineTogetherRace, TheFirstOfSeveralIsOne) {
  engine one({.executor = two_threads()}), other({.executor = two_threads()});
  random_source random(new_seed());
  std::atomic<int> ended{0}, won{0};
  auto any = [&](std::stop_token stop, duration a, duration b, duration c) -> free_task {
    const auto first = co_await when_any(std::move(stop), one.sleep_for(a), other.sleep_for(b),
                                         when_all(one.sleep_for(c), other.sleep_for(c)));
    if (first.index < 3 && std::get<0>(first.values) && std::get<1>(first.values)) won.fetch_add(1);
    ended.fetch_add(1);
  };
  std::stop_source source;
  for (int i = 0; i < rounds; ++i) {
    if (i == rounds / 2) source.request_stop();
    any(i % 3 == 0 ? source.get_token() : std::stop_token{}, duration(random.between(0, 100'000)),
        duration(random.between(0, 100'000)), duration(random.between(0, 100'000)));
  }
  EXPECT_TRUE(eventually([&] { return ended == rounds; }));
  EXPECT_EQ(won, rounds);
}

TEST(CoroutineTogetherRace, AStopMeetsTheirEnds) {
  engine e({.executor = two_threads()});
  random_source random(new_seed());
  std::atomic<int> ended{0};
  auto all = [&](std::stop_token stop, duration d) -> free_task {
    static_cast<void>(co_await when_all(std::move(stop), e.sleep_for(d), e.sleep_for(d), e.sleep_for(d)));
    ended.fetch_add(1);
  };
  for (int i = 0; i < 500; ++i) {
    std::stop_source source;
    std::jthread stopper([&] { source.request_stop(); });
    all(source.get_token(), duration(random.between(0, 50'000)));
    stopper.join();
    ASSERT_TRUE(eventually([&] { return ended == i + 1; }));
  }
}

// The coroutine continues even if stop() has taken a limit whose awaitable ends at that moment.
TEST(CoroutineTogetherRace, AnEngineStopsWhileItsLimitsAreCancelled) {
  for (int i = 0; i < 300; ++i) {
    engine limits({.reserve = 256}), sleeps({.reserve = 256});
    std::atomic<int> ended{0};
    auto limited = [&](duration sleep) -> free_task {
      try {
        static_cast<void>(co_await with_timeout(limits, 1h, sleeps.sleep_for(sleep)));
      } catch (const error&) {
      }
      ended.fetch_add(1);
    };
    for (int n = 0; n < 10; ++n) limited(duration(n * 3000));
    const auto left = limits.stop();  // keeps the timers
    EXPECT_TRUE(eventually([&] { return ended == 10; }));
  }
}

TEST(CoroutineTogetherRace, IntervalsOfManyCoroutinesKeepTheirGrids) {
  engine e({.executor = two_threads()});
  std::atomic<int> over{0}, early{0};
  auto ticks = [&]() -> free_task {
    interval every(e, 100us, {.runs = 20});
    for (;;) {
      const bool came = co_await every.next();
      if (!came) break;
      if (clock::now() < every.deadline()) early.fetch_add(1);
    }
    over.fetch_add(1);
  };
  for (int i = 0; i < 50; ++i) ticks();
  EXPECT_TRUE(eventually([&] { return over == 50; }));
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace detent
