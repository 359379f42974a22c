// SPDX-License-Identifier: MIT
// Calls of any thread to the recipes, while their timers fire.
#include <detent/recipes/debounce.hpp>
#include <detent/recipes/hedge.hpp>
#include <detent/recipes/rate_limiter.hpp>
#include <detent/recipes/retry.hpp>
#include <detent/recipes/throttle.hpp>
#include <detent/recipes/watchdog.hpp>
#include <detent/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"

namespace detent::recipes::testing {
namespace {

using namespace std::chrono_literals;

class RecipesRaces : public ::testing::Test {
 protected:
  static constexpr int threads = 3;
  static void on_threads(const std::function<void(int)>& body) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(body, t);
    for (std::thread& one : all) one.join();
  }
  // Tests the recipe that `make` makes from a function.
  template <class Make>
  static void runs_after_each_call(Make make) {
    int inside = 0;  // not atomic: runs never overlap
    std::atomic<int> calls{0}, seen{0};
    auto recipe = make([&] {
      ++inside;
      seen = calls.load();
    });
    on_threads([&](int) {
      for (int i = 0; i < 2000; ++i) {
        ++calls;
        recipe();
        if (i % 16 == 0) std::this_thread::sleep_for(20us);
      }
    });
    while (seen != threads * 2000) std::this_thread::yield();
  }

  engine engine_{engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})}};
};

TEST_F(RecipesRaces, DebounceRunsAfterEachCallAndSeesWhatCameBefore) {
  runs_after_each_call([this](const auto& run) { return debounce(engine_, 20us, run); });
}

TEST_F(RecipesRaces, ThrottleRunsAfterEachCallAndSeesWhatCameBefore) {
  runs_after_each_call([this](const auto& run) { return throttle(engine_, 20us, run); });
}

TEST_F(RecipesRaces, FlushRunsBesideTheTimerAndNeverAtOnceWithIt) {
  int inside = 0;  // not atomic: runs never overlap
  std::atomic<int> calls{0}, seen{0};
  debounce save(engine_, 20us, [&] {
    ++inside;
    seen = calls.load();
  });
  on_threads([&](int thread) {
    for (int i = 0; i < 2000; ++i) {
      ++calls;
      save();
      if ((i + thread) % 4 == 0) save.flush();
      if (i % 16 == 0) save.cancel(), ++calls, save();
    }
  });
  save();
  save.flush();
  EXPECT_EQ(seen, calls);
}

TEST_F(RecipesRaces, RateChangesBesideItsUse) {
  rate_limiter limiter(engine_, {.permits = 1, .per = 1h, .burst = 1000});
  std::atomic<int> taken{0};
  on_threads([&](int thread) {
    for (int i = 0; i < 2000; ++i) {
      if (thread == 0) {
        limiter.set_rate({.permits = 1, .per = i % 2 == 0 ? duration(1h) : duration(100'000h), .burst = 1000});
      } else if (limiter.try_acquire()) {
        ++taken;
        if (i % 2 == 0) limiter.give_back(), --taken;
      }
    }
  });
  while (limiter.try_acquire()) ++taken;
  // Each change rounds up the missing permits at most once.
  EXPECT_LE(taken, 1000);
  EXPECT_GE(taken, 990);
}

TEST_F(RecipesRaces, RetryFinishesOnceWhenItsEngineStops) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> finished{0};
    std::optional<engine> short_lived(
        engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
    retry call(
        *short_lived, {.attempts = 1000, .timeout = 10us, .pauses = {.first = 5us}},
        [](const retry_attempt& attempt) { attempt(false); }, [&](retry_result) { ++finished; });
    std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
    if (round % 2 == 0) short_lived->stop();
    short_lived.reset();
    EXPECT_TRUE(drive::eventually([&] { return finished == 1; }));
  }
}

TEST_F(RecipesRaces, WatchdogAndItsEndMeetItsFiring) {
  for (int round = 0; round < 200; ++round) {
    int barks = 0;
    {
      watchdog dog(engine_, 15us, [&] { ++barks; });
      on_threads([&](int t) {
        for (int i = 0; i < 20; ++i) t == 0 && i % 4 == 0 ? dog.start() : static_cast<void>(dog.feed());
      });
      if (round % 2 == 0) std::this_thread::sleep_for(15us);
    }
    EXPECT_LE(barks, 6);  // at most once for each start, including the constructor's
  }
}

TEST_F(RecipesRaces, WatchdogDoesNotBarkWithinItsTimeoutOfASuccessfulFeed) {
  std::atomic<time_point> fed{engine_.now()};
  std::atomic<int> early{0};
  watchdog dog(engine_, 10us, [&] {
    const time_point last = fed;  // before the clock, because it may be fed once more in between
    if (engine_.now() < last + 10us) ++early;
  });
  for (int i = 0; i < 20'000; ++i) {
    const time_point before = engine_.now();
    if (dog.feed()) {
      fed = before;
    } else {
      dog.start();
    }
    while (engine_.now() < before + 8us + duration(i % 64) * 64) {
    }
  }
  EXPECT_EQ(early, 0);
}

TEST_F(RecipesRaces, RateLimiterGivesEachPermitOnce) {
  rate_limiter limiter(engine_, {.permits = 1, .per = 1h, .burst = 1000});
  std::atomic<int> taken{0};
  on_threads([&](int) {
    while (limiter.try_acquire()) ++taken;
  });
  EXPECT_EQ(taken, 1000);
}

TEST_F(RecipesRaces, RetryFinishesOnceOrIsCancelled) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> finished{0};
    bool cancelled = false;
    {
      retry call(
          engine_, {.timeout = 10us, .pauses = {.first = 5us}},
          [](const retry_attempt& attempt) { attempt(attempt.number() == 2); }, [&](retry_result) { ++finished; });
      std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
      cancelled = call.cancel();
    }
    EXPECT_EQ(finished, cancelled ? 0 : 1);
  }
}

TEST_F(RecipesRaces, HedgeAnswersOnceOrIsCancelled) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> answered{0}, sent{0}, lost{0};
    bool cancelled = false;
    {
      auto call = hedge_call<int>(
          engine_, {.delay = 10us, .copies = 4},
          [&](const hedged_copy<int>& copy) {
            ++sent;
            if (copy.index() == 2) copy(1);
          },
          [&](std::optional<int>) { ++answered; }, [&](int) { ++lost; });
      std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
      cancelled = call.cancel();
    }
    if (cancelled) {
      EXPECT_EQ(answered, 0);
      EXPECT_EQ(sent, lost);
    } else {
      EXPECT_EQ(answered, 1);
    }
  }
}

}  // namespace
}  // namespace detent::recipes::testing
