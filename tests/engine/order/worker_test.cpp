// SPDX-License-Identifier: MIT
// The order in which a worker fires: by deadline within a batch; equal deadlines of a thread as it last armed them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <tuple>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/meeting.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

// A worker that is kept busy until open(), so that what is scheduled meanwhile makes one batch.
class EngineOrderWorker : public ::testing::Test {
 protected:
  EngineOrderWorker() {
    std::atomic<bool> shut{false};
    engine_.schedule_after(0ns, [this, &shut] {
      shut = true;
      eventually([this] { return open_.load(); });
    });
    EXPECT_TRUE(eventually([&] { return shut.load(); }));
  }
  ~EngineOrderWorker() override { open_ = true; }

  auto note(int id) {
    return [this, id] { order_.push_back(id), ++fired_; };
  }
  // Returns the timers that have fired, in order, once there are `count` of them.
  std::vector<int> order_of(int count) {
    open_ = true;
    EXPECT_TRUE(eventually([&] { return fired_ == count; }));
    return order_;
  }
  static std::vector<int> count_to(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  std::atomic<bool> open_{false};
  std::atomic<int> fired_{0};
  std::vector<int> order_;  // the worker's until all have fired
  const time_point past_ = clock::now() - 1s;
  engine engine_;
};

TEST_F(EngineOrderWorker, IsByDeadlineInABatchHoweverItWasScheduled) {
  test::random_source random(1);
  std::vector<int> shuffled = count_to(500);
  std::shuffle(shuffled.begin(), shuffled.end(), random.engine());
  for (int id : shuffled) engine_.schedule_at(past_ + duration(id), note(id));
  EXPECT_EQ(order_of(500), count_to(500));
}

TEST_F(EngineOrderWorker, KeepsEachThreadsOwnOrderWhereSeveralScheduleAtOnce) {
  constexpr int threads = 4, each = 200;
  test::meeting start(threads);
  testing::on_threads(threads, [&](int thread) {
    start.arrive_and_wait();
    if (thread == 0) open_ = true;  // some of it while the worker fires
    for (int id = 0; id < each; ++id) engine_.schedule_at(past_, note(thread * each + id));
  });
  std::vector<int> order = order_of(threads * each);
  std::vector<int> last(threads, -1);
  for (int id : order) {
    int& before = last[static_cast<std::size_t>(id / each)];
    EXPECT_LT(before, id);
    before = id;
  }
}

// The timer is its thread's third arming, and another thread's third is the restart, while the timer is due.
TEST_F(EngineOrderWorker, PutsARestartAfterItsEqualsThoughTwoThreadsHaveArmedAsOften) {
  std::atomic<bool> is_firing{false}, goes_on{false};
  engine_.schedule_at(past_, [&] {
    is_firing = true;
    eventually([&] { return goes_on.load(); });
  });
  timer moved = engine_.schedule_at(past_ + 1ns, note(1));
  open_ = true;
  ASSERT_TRUE(eventually([&] { return is_firing.load(); }));
  testing::on_threads(1, [&] {
    engine_.schedule_after(1h, [] {});
    engine_.schedule_at(past_ + 1ns, note(0));
    EXPECT_TRUE(moved.restart_at(past_ + 1ns));
  });
  goes_on = true;
  EXPECT_EQ(order_of(2), count_to(2));
}

// A flood of one thread is drained by turns with what others submit. Another thread restarts its last timer, and that
// restart comes before what the thread arms next.
class EngineOrderOfARestartInAFlood : public EngineOrderWorker {
 protected:
  void restart_to(time_point due) {
    constexpr int flood = 10'000;
    const std::vector<time_point> deadlines(flood, past_);
    std::vector<timer> first(flood);
    engine_.schedule_at_bulk(
        deadlines, [this](std::size_t) { ++fired_; }, first);
    timer last = engine_.schedule_at(past_, note(0));
    testing::on_threads(1, [&] {
      EXPECT_TRUE(last.restart_at(due));
      engine_.schedule_at(due, note(1));
    });
    EXPECT_EQ(order_of(flood + 2), count_to(2));
  }
};

TEST_F(EngineOrderOfARestartInAFlood, ToItsOwnDeadlineHolds) { restart_to(past_); }
TEST_F(EngineOrderOfARestartInAFlood, ToALaterDeadlineHolds) { restart_to(past_ + 1ns); }

// How it waits, and its tick: where that is coarse, equal deadlines are the rule.
class EngineOrderOfARestart : public ::testing::TestWithParam<std::tuple<wait_options, duration>> {};
INSTANTIATE_TEST_SUITE_P(Waits, EngineOrderOfARestart,
                         ::testing::Combine(::testing::Values(wait_options::busy(), wait_options::sleep(),
                                                              wait_options::hybrid()),
                                            ::testing::Values(duration(1ns), duration(1ms))));

// The worker knows of the timer, and waits for it, while it has not taken the other one out of its queue.
TEST_P(EngineOrderOfARestart, ToItsOwnDeadlineComesAfterWhatItsThreadArmedBefore) {
  const auto [wait, tick] = GetParam();
  engine e({.tick = tick, .wait = wait});
  for (int round = 0; round < 10; ++round) {
    std::vector<char> order;
    std::atomic<int> ran{0};
    const auto note = [&](char id) { return [&, id] { order.push_back(id), ++ran; }; };
    const time_point due = e.now() + 4ms;
    timer known = e.schedule_at(due, note('x'));
    std::this_thread::sleep_for(1ms);
    e.schedule_at(due, note('b'));
    const bool restarted = known.restart_at(due);
    ASSERT_TRUE(eventually([&] { return ran == 2; }));
    if (restarted) {
      EXPECT_EQ(order, (std::vector{'b', 'x'})) << "in round " << round;
    }
  }
}

}  // namespace
}  // namespace detent
