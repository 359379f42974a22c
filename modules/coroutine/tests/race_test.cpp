// SPDX-License-Identifier: MIT
// Sleeping coroutines against everything that other threads may do to them, thousands of times.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

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
using testing::owned_task;

constexpr int rounds = 3000;

// Works like eventually(), for conditions that take microseconds.
template <class Condition>
bool soon(Condition&& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return eventually(condition);
}

void spin_for(duration d) {
  const auto until = clock::now() + d;
  while (clock::now() < until) {
  }
}

// Runs its work on a thread of its own, but nothing as long as another thread holds `turn`.
class strand final : public executor {
 public:
  ~strand() override {
    thread_.request_stop();
    thread_.join();
  }
  bool execute(fired_timer&& work) noexcept override {
    std::lock_guard lock(queue_turn_);
    queue_.push_back(std::move(work));
    return true;
  }
  std::mutex turn;

 private:
  void work(std::stop_token ending) {
    while (!ending.stop_requested()) {
      std::unique_lock lock(queue_turn_);
      if (queue_.empty()) {
        lock.unlock();
        std::this_thread::yield();
        continue;
      }
      fired_timer next = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      std::lock_guard alone(turn);
      next();
    }
  }
  std::mutex queue_turn_;
  std::deque<fired_timer> queue_;
  std::jthread thread_{[this](std::stop_token ending) { work(ending); }};
};

// The thread that resumes the coroutine frees its frame at once.
free_task sleep_and_count(engine& e, duration d, std::stop_token token, std::atomic<int>& woken) {
  co_await e.sleep_for(d, std::move(token));
  woken.fetch_add(1);
}

TEST(CoroutineRace, ResumedWhileItStillFallsAsleep) {
  for (bool busy : {false, true}) {
    engine e({.wait = busy ? wait_options::busy() : wait_options::hybrid()});
    std::atomic<int> woken{0};
    std::stop_source source;
    for (int i = 0; i < rounds; ++i) {
      sleep_and_count(e, 0ns, {}, woken);
      sleep_and_count(e, 1ns, source.get_token(), woken);
    }
    EXPECT_TRUE(eventually([&] { return woken == 2 * rounds; }));
    EXPECT_TRUE(source.request_stop());  // must find no hook of a frame that is gone
  }
}

// Uses an awaiter that was asleep before, on the thread of another engine.
free_task sleep_often_and_count(engine& one, engine& other, std::stop_token token, std::atomic<int>& woken) {
  auto sleep = one.sleep_for(0ns, std::move(token));
  for (int i = 0; i < 5; ++i) {
    co_await other.sleep_for(0ns);
    co_await sleep;
  }
  woken.fetch_add(1);
}

TEST(CoroutineRace, ResumedWhileItFallsAsleepOnceMore) {
  engine one({.wait = wait_options::busy()}), other;
  std::stop_source source;
  std::atomic<int> woken{0};
  for (int i = 0; i < rounds / 2; ++i) {
    sleep_often_and_count(one, other, source.get_token(), woken);
    if (i % 10 == 9) {
      ASSERT_TRUE(soon([&] { return woken == i + 1; }));
    }
  }
  EXPECT_TRUE(eventually([&] { return woken == rounds / 2; }));
}

TEST(CoroutineRace, StoppedWhileItFallsAsleepAndWhileItElapses) {
  random_source random(new_seed());
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  std::atomic<int> woken{0};
  std::atomic<std::stop_source*> target{nullptr};
  std::jthread stopper([&](std::stop_token ending) {
    while (!ending.stop_requested()) {
      std::stop_source* source = target.load();
      if (source == nullptr) {
        std::this_thread::yield();
        continue;
      }
      source->request_stop();
      target = nullptr;
    }
  });
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    target = &source;
    sleep_and_count(e, duration(random.between(0, 20'000)), source.get_token(), woken);
    ASSERT_TRUE(soon([&] { return woken == i + 1; }));
    ASSERT_TRUE(soon([&] { return target.load() == nullptr; }));
  }
}

TEST(CoroutineRace, AStopWakesTheSleeperInAnyCase) {
  engine e;
  std::atomic<int> woken{0};
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    std::jthread stopper;
    if (i % 2 == 0) {
      stopper = std::jthread([&] { source.request_stop(); });
      sleep_and_count(e, 1h, source.get_token(), woken);
    } else {
      sleep_and_count(e, 1h, source.get_token(), woken);
      source.request_stop();
    }
    ASSERT_TRUE(soon([&] { return woken == i + 1; }));
  }
}

TEST(CoroutineRace, DestroyedWhileItsTimerFires) {
  random_source random(new_seed());
  auto on = std::make_shared<strand>();
  engine e({.executor = on});
  int woken = 0, destroyed = 0;
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    bool done = false;
    auto sleep = [&](std::stop_token token) -> owned_task {
      co_await e.sleep_for(20us, token);
      done = true;
    };
    owned_task task = sleep(i % 2 == 0 ? source.get_token() : std::stop_token{});
    spin_for(duration(random.between(0, 60'000)));
    if (i % 3 == 0) source.request_stop();
    std::lock_guard suspended_or_done(on->turn);
    ++(done ? woken : destroyed);
    task.destroy();
  }
  EXPECT_EQ(woken + destroyed, rounds);
  EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
  const engine_metrics seen = e.metrics();
  EXPECT_EQ(seen.expired, static_cast<std::uint64_t>(woken));
  EXPECT_EQ(seen.cancelled, static_cast<std::uint64_t>(destroyed));
}

// One thread moves and runs the result of stop() while another destroys the frames that it refers to.
TEST(CoroutineRace, FramesGoWhileTheirEngineStops) {
  for (int i = 0; i < 200; ++i) {
    engine e({.reserve = 256});
    std::atomic<bool> go{false};
    std::vector<owned_task> sleepers;
    std::stop_source source;
    auto sleep = [&](std::stop_token token) -> owned_task { co_await e.sleep_for(1h, std::move(token)); };
    for (int n = 0; n < 20; ++n) sleepers.push_back(sleep(n % 2 == 0 ? source.get_token() : std::stop_token{}));
    std::vector<unfired_timer> left;
    {
      std::jthread owner([&] {
        while (!go) std::this_thread::yield();
        for (owned_task& each : sleepers) each.destroy();
      });
      go = true;
      left = e.stop();
      std::vector<unfired_timer> moved;
      for (unfired_timer& each : left) moved.push_back(std::move(each));
      left = std::move(moved);
    }
  }
}

// An engine ends while another thread's coroutines fall asleep on it.
TEST(CoroutineRace, EachSleeperEndsOnceWhileItsEngineStops) {
  for (int i = 0; i < 300; ++i) {
    engine e({.reserve = 256});
    std::atomic<bool> go{false};
    std::atomic<int> ended{0};
    std::stop_source source;
    auto sleep = [&](std::stop_token token) -> free_task {
      try {
        co_await e.sleep_for(1h, std::move(token));
      } catch (const error& stopped) {
        if (stopped.code() == errc::stopped) ended.fetch_add(1);
      }
    };
    std::jthread sleeper([&] {
      while (!go) std::this_thread::yield();
      for (int n = 0; n < 20; ++n) sleep(n % 2 == 0 ? source.get_token() : std::stop_token{});
    });
    go = true;
    if (i % 4 != 0) spin_for(duration(1000 * (i % 4)));
    e.stop();
    sleeper.join();
    EXPECT_EQ(ended, 20);
  }
}

TEST(CoroutineRace, TenThousandSleepersOnAPool) {
  constexpr int many = 10'000;
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  std::atomic<int> elapsed{0}, stopped{0}, early{0};
  std::stop_source source;
  auto sleep = [&](int n) -> free_task {
    const time_point due = clock::now() + std::chrono::microseconds(n % 1000);
    bool reported = false;
    if (n % 10 == 0) {
      reported = co_await e.sleep_for(1h, source.get_token());
    } else {
      reported = co_await e.sleep_until(due);
    }
    if (reported && clock::now() < due) early.fetch_add(1);
    (reported ? elapsed : stopped).fetch_add(1);
  };
  for (int n = 0; n < many; ++n) sleep(n);
  EXPECT_TRUE(eventually([&] { return elapsed == many - many / 10; }));
  source.request_stop();
  EXPECT_TRUE(eventually([&] { return stopped == many / 10; }));
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace detent
