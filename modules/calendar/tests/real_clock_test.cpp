// SPDX-License-Identifier: MIT
// A calendar by the real clocks: threads that meet in it, and steps of the wall clock where the system permits them.
#include "support.hpp"
#include "support/joined_thread.hpp"

#include <detent/calendar.hpp>
#include <detent/engine.hpp>
#include <detent/thread_pool.hpp>

#include <gtest/gtest.h>
#include <sys/timex.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <thread>

namespace detent::calendar_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

wall_time wall_now() {
  timespec at{};
  clock_gettime(CLOCK_REALTIME, &at);
  return wall_time(seconds(at.tv_sec) + duration(at.tv_nsec));
}

// Returns false if the system does not permit it.
bool step_clock(microseconds by) {
  timex change{};
  change.modes = ADJ_SETOFFSET | ADJ_NANO;
  const auto whole = std::chrono::floor<seconds>(by);
  change.time.tv_sec = whole.count();
  change.time.tv_usec = duration(by - whole).count();
  return adjtimex(&change) != -1;
}

// Steps there and back, so that the machine's clock stays as it was.
class stepped_clock {
 public:
  explicit stepped_clock(microseconds by) : by_(by), stepped_(step_clock(by)) {}
  ~stepped_clock() {
    if (stepped_) step_clock(-by_);
  }
  bool stepped() const { return stepped_; }

 private:
  microseconds by_;
  bool stepped_;
};

class CalendarRealSteps : public ::testing::TestWithParam<int> {};

TEST_P(CalendarRealSteps, IsNeverEarlyThoughItIsSetMeanwhile) {
  std::promise<clock_step> step;
  std::promise<duration> late;
  engine of;
  calendar timers(of, {.on_step = [&, seen_one = false](const clock_step& seen) mutable {
                    if (!std::exchange(seen_one, true)) step.set_value(seen);
                  }});
  const wall_time planned = wall_now() + seconds(2);
  timers.schedule_at(planned, [&] { late.set_value(wall_now() - planned); });
  const stepped_clock clock{milliseconds(GetParam())};
  if (!clock.stepped()) GTEST_SKIP() << "only root may set the clock";
  const clock_step seen = step.get_future().get();
  EXPECT_EQ(seen.moved, 1u);
  EXPECT_LT(abs(seen.by - milliseconds(GetParam())), milliseconds(1));
  EXPECT_GE(late.get_future().get(), duration(0));
}

INSTANTIATE_TEST_SUITE_P(By, CalendarRealSteps, ::testing::Values(2, -2));

TEST(CalendarRealClock, IsNotEarlyThoughTheClockWasSetBackAndNobodyHasFollowedYet) {
  std::promise<void> following, go_on;
  std::promise<duration> late;
  engine of;
  calendar timers(of, {.on_step = [&, first = true](const clock_step&) mutable {
                    if (!std::exchange(first, false)) return;
                    following.set_value();
                    go_on.get_future().wait();
                  }});
  if (!step_clock(microseconds(500))) GTEST_SKIP() << "only root may set the clock";
  following.get_future().wait();
  const wall_time planned = wall_now() + milliseconds(20);
  timers.schedule_at(planned, [&] { late.set_value(wall_now() - planned); });
  step_clock(microseconds(-500));
  EXPECT_GE(late.get_future().get(), duration(0));
  go_on.set_value();
}

TEST(CalendarRealClock, FollowsAStepThatComesWhileItFollowsAnother) {
  std::promise<void> second;
  int steps = 0;
  engine of;
  calendar timers(of, {.on_step = [&](const clock_step&) {
                    if (++steps == 1) step_clock(microseconds(-50));
                    if (steps == 2) second.set_value();
                  }});
  if (!step_clock(microseconds(50))) GTEST_SKIP() << "only root may set the clock";
  EXPECT_EQ(second.get_future().wait_for(seconds(20)), std::future_status::ready);
}

// Adds, runs, cancels, steps and reloads at the same time, on a pool: nothing is lost, and the sanitizers find nothing.
TEST(CalendarThreads, EachTimerRunsOnceOrIsCancelledWhileTheClockIsSet) {
  constexpr int threads = 3, of_each = 300;
  std::atomic<int> ran{0}, cancelled{0};
  {
    engine of({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
    calendar timers(of);
    std::atomic<bool> over{false};
    testing::joined_thread clock([&] {
      while (!over) {
        const stepped_clock there_and_back{microseconds(1)};  // without permission, only the zones are reloaded
        timers.reload_zones();
        std::this_thread::sleep_for(microseconds(300));
      }
    });
    const schedule each_second = schedule::quartz("* * * * * ?", in("America/New_York"));
    testing::on_threads(threads, [&](int thread) {
      std::vector<timer> mine;
      for (int n = 0; n < of_each; ++n) {
        mine.push_back(timers.schedule_at(wall_now() + microseconds(100 * (n % 7)), [&] { ++ran; }));
        timer periodic = timers.schedule_on(each_second, [] {});
        if (n % 3 == thread && mine[static_cast<std::size_t>(n / 2)].cancel_and_wait() == cancel_result::cancelled)
          ++cancelled;
        periodic.cancel();
      }
    });
    while (of.pending() != 0) std::this_thread::sleep_for(milliseconds(1));
    over = true;
  }
  EXPECT_EQ(ran + cancelled, threads * of_each);
}

// Reports when its destruction begins and when it is over.
class slow_to_end {
 public:
  slow_to_end(std::promise<void>& begins, std::atomic<bool>& over) : begins_(begins), over_(over) {}
  slow_to_end(const slow_to_end&) = delete;
  slow_to_end& operator=(const slow_to_end&) = delete;
  ~slow_to_end() {
    begins_.set_value();
    std::this_thread::sleep_for(milliseconds(20));
    over_ = true;
  }

 private:
  std::promise<void>& begins_;
  std::atomic<bool>& over_;
};

// Returns whether a calendar's end waits for that. `another` schedules a timer in the meantime.
bool ends_after_it(bool another) {
  std::promise<void> begins;
  std::atomic<bool> over{false};
  engine of;
  {
    calendar timers(of);
    timers.schedule_at(wall_now(), [held = std::make_unique<slow_to_end>(begins, over)] {});
    begins.get_future().wait();
    if (another) timers.schedule_at(wall_now() + hours(1), [] {});
  }
  return over;
}

TEST(CalendarThreads, EndsOnceWhatACallbackHoldsIsDestroyed) { EXPECT_TRUE(ends_after_it(false)); }

// The next timer does not get the place of the one that is still ending.
TEST(CalendarThreads, EndsOnceThatIsDestroyedWhereAnotherTimerWasScheduledMeanwhile) {
  EXPECT_TRUE(ends_after_it(true));
}

TEST(CalendarThreads, EndsWhileItsTimersRun) {
  for (int round = 0; round < 50; ++round) {
    engine of;
    auto captured = std::make_shared<std::atomic<int>>(0);
    {
      calendar timers(of);
      for (int n = 0; n < 20; ++n) timers.schedule_at(wall_now() + microseconds(n), [captured] { ++*captured; });
    }
    EXPECT_EQ(captured.use_count(), 1);
  }
}

}  // namespace
}  // namespace detent::calendar_test
