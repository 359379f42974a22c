// SPDX-License-Identifier: MIT
// A process that is stopped (SIGSTOP) in the midst of its work, and one that signals rain upon.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "hostile/in_child.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::expect_in_child;

// Long beside every delay below, so that what is due in the pause is due long before its end.
constexpr auto pause_length = 2000ms;

// Stops this process for the pause; in a child only. A process of its own does it, as nobody continues oneself.
void stop_for_a_while() {
  const pid_t self = getpid(), watcher = fork();
  if (watcher == 0) {
    kill(self, SIGSTOP);
    usleep(static_cast<useconds_t>(pause_length / 1us));
    kill(self, SIGCONT);
    _exit(0);
  }
  waitpid(watcher, nullptr, 0);
}

struct seen {
  time_point deadline, started;
  duration lateness;
  std::uint64_t missed;
};

// The callbacks that fired, in order. Any thread.
class fired_log {
 public:
  void note(const firing& f) {
    std::lock_guard lock(mutex_);
    entries_.push_back({f.deadline(), f.started(), f.lateness(), f.missed()});
  }
  std::vector<seen> entries() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<seen> entries_;
};

template <class Make>
void expect_order_after_a_stop(Make&& make) {
  expect_in_child([&] {
    fired_log log;
    engine e = make();
    const time_point begin = e.now();
    for (int i = 999; i >= 0; --i) e.schedule_at(begin + 1500ms + i * 100us, [&log](firing& f) { log.note(f); });
    // Order is promised among what the worker has accepted, which it does in the order of the calls.
    std::atomic<bool> taken_up{false};
    e.schedule_after(0ns, [&] { taken_up = true; });
    ASSERT_TRUE(eventually([&] { return taken_up.load(); }));
    stop_for_a_while();
    ASSERT_TRUE(eventually([&] { return log.entries().size() == 1000; }));
    const std::vector<seen> fired = log.entries();
    EXPECT_TRUE(std::ranges::is_sorted(fired, {}, &seen::deadline));
    EXPECT_TRUE(std::ranges::all_of(fired, [](const seen& each) { return each.started >= each.deadline; }));
    EXPECT_TRUE(
        std::ranges::all_of(fired, [](const seen& each) { return each.lateness == each.started - each.deadline; }));
    EXPECT_GE(e.metrics().lateness.max(), std::ranges::max(fired, {}, &seen::lateness).lateness);
  });
}

TEST(Stopped, SleepingWorkerFiresWhatIsDueInOrderAfterwards) {
  expect_order_after_a_stop([] { return engine({.wait = wait_options::sleep()}); });
}
TEST(Stopped, HybridWorkerFiresWhatIsDueInOrderAfterwards) {
  expect_order_after_a_stop([] { return engine(); });
}

// Returns the runs of a periodic timer of 10 ms around a stop of the process.
std::vector<seen> periodic_around_a_stop(missed_ticks policy) {
  fired_log log;
  engine e;
  e.schedule_at_fixed_rate(10ms, 10ms, [&log](firing& f) { log.note(f); }, {.missed_policy = policy});
  EXPECT_TRUE(eventually([&] { return log.entries().size() >= 3; }));
  stop_for_a_while();
  const time_point over = e.now();
  EXPECT_TRUE(eventually([&] { return log.entries().back().deadline > over; }));  // what was held up has run
  e.stop();
  return log.entries();
}

std::size_t longest_gap(const std::vector<seen>& runs) {
  std::size_t widest = 1;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].deadline - runs[i - 1].deadline > runs[widest].deadline - runs[widest - 1].deadline) widest = i;
  }
  return widest;
}

TEST(Stopped, SkippingPeriodicTimerRunsOnceForThePauseAndSaysWhatItMissed) {
  expect_in_child([] {
    const std::vector<seen> runs = periodic_around_a_stop(missed_ticks::skip);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const duration step = runs[i].deadline - runs[i - 1].deadline;
      EXPECT_EQ(step, 10ms * static_cast<int>(runs[i].missed + 1)) << "run " << i;
      EXPECT_GE(runs[i].started, runs[i].deadline);
    }
    EXPECT_GE(runs[longest_gap(runs)].missed, 100u);
  });
}

TEST(Stopped, BurstingPeriodicTimerRunsAllThatWasHeldUpAndSaysHowLate) {
  expect_in_child([] {
    const std::vector<seen> runs = periodic_around_a_stop(missed_ticks::burst);
    EXPECT_GE(runs.size(), 100u);
    // The first period that the pause held up waited for nearly all of it.
    EXPECT_GE(std::ranges::max(runs, {}, &seen::lateness).lateness, pause_length / 2);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      EXPECT_EQ(runs[i].deadline - runs[i - 1].deadline, 10ms);
      EXPECT_EQ(runs[i].missed, 0u);
      EXPECT_GE(runs[i].started, runs[i].deadline);
      EXPECT_EQ(runs[i].lateness, runs[i].started - runs[i].deadline);
    }
  });
}

TEST(Stopped, DelayingPeriodicTimerCountsAgainFromItsRun) {
  expect_in_child([] {
    const std::vector<seen> runs = periodic_around_a_stop(missed_ticks::delay);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      EXPECT_GE(runs[i].deadline, runs[i - 1].deadline + 10ms);
      EXPECT_GE(runs[i].started, runs[i].deadline);
    }
  });
}

std::atomic<std::uint64_t> signals_seen{0}, signals_to_main{0};

// Signals for every thread of this process, one after the other, for as long as this lives. No SA_RESTART.
class rain_of_signals {
 public:
  rain_of_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      ++signals_seen;
      if (gettid() == getpid()) ++signals_to_main;
    };
    sigaction(SIGUSR1, &action, nullptr);
    sender_ = fork();
    if (sender_ == 0) {
      for (const pid_t target = getppid(); kill(target, SIGUSR1) == 0;) usleep(50);
      _exit(0);
    }
  }
  ~rain_of_signals() {
    kill(sender_, SIGKILL);
    waitpid(sender_, nullptr, 0);
  }

 private:
  pid_t sender_;
};

// Only the engine's threads take signals: whatever waits in them is interrupted.
void block_signals_here() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

TEST(Signals, InTheWorkerHaveNothingFireEarlyOrNotAtAll) {
  for (const wait_options& wait : {wait_options::sleep(), wait_options::hybrid()}) {
    expect_in_child([&] {
      std::atomic<int> fired{0}, early{0};
      engine e({.wait = wait, .executor = std::make_shared<thread_pool>()});
      block_signals_here();
      rain_of_signals rain;
      for (int i = 0; i < 200; ++i) {
        e.schedule_after(i * 1ms, [&](firing& f) {
          if (f.started() < f.deadline()) ++early;
          ++fired;
        });
      }
      EXPECT_TRUE(eventually([&] { return fired == 200 && signals_seen > 100; }));
      EXPECT_EQ(early, 0);
    });
  }
}

TEST(Signals, InAWaitingThreadDoNotEndItsWait) {
  expect_in_child([] {
    engine e;
    std::atomic<bool> running{false}, ended{false};
    block_signals_here();  // also for the thread below: signals go to the worker and to the thread that waits
    auto slow = [&] {
      running = true;
      const std::uint64_t before = signals_to_main;
      EXPECT_TRUE(eventually([&] { return signals_to_main >= before + 100; }));
      ended = true;
    };
    timer cancelled = e.schedule_after(0ns, slow);
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    rain_of_signals rain;
    EXPECT_EQ(cancelled.cancel_and_wait(), cancel_result::running);
    EXPECT_TRUE(ended);
    ended = running = false;
    e.schedule_after(0ns, slow);
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    EXPECT_TRUE(e.stop().empty());
    EXPECT_TRUE(ended);
  });
}

}  // namespace
}  // namespace detent
