// SPDX-License-Identifier: MIT
// Bulk calls against everything else at once: each timer ends in one way, and the counts add up.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;

class EngineBulkRace : public ::testing::Test {
 protected:
  static void expect_balance(const engine_metrics& m) {
    EXPECT_EQ(m.scheduled, m.expired + m.cancelled + m.returned + m.dropped + m.pending);
  }
};

// Reports within a call what becomes of its copies of the callable.
struct copies {
  std::function<void(int)> made = [](int) {};
  std::function<void()> ended = [] {};
  int count = 0;
};
struct reporting_callable {
  explicit reporting_callable(copies& of) noexcept : of_(&of), original_(true) {}
  reporting_callable(const reporting_callable& other) noexcept : of_(other.of_) { of_->made(++of_->count); }
  reporting_callable(reporting_callable&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  reporting_callable& operator=(reporting_callable) = delete;
  ~reporting_callable() {
    if (of_ != nullptr && !original_) of_->ended();
  }
  void operator()(std::size_t) const {}

 private:
  copies* of_;
  bool original_ = false;
};

TEST_F(EngineBulkRace, IsRefusedByAStopThatComesMeanwhile) {
  engine e;
  int ended = 0;
  copies reported{.ended = [&] { ++ended; }};
  reported.made = [&](int count) {
    if (count == 1) std::thread([&] { EXPECT_TRUE(e.stop().empty()); }).join();
  };
  const reporting_callable callback(reported);
  std::vector<timer> out(3);
  const std::vector<time_point> deadlines(3, clock::now() + 1h);
  try {
    e.schedule_at_bulk(deadlines, callback, out);
    ADD_FAILURE() << "not refused";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::stopped);
  }
  EXPECT_EQ(ended, 3);
  for (timer each : out) EXPECT_FALSE(each);
  EXPECT_EQ(e.pending(), 0u);
  expect_balance(e.metrics());
}

// The first is taken back by the call itself; before it comes to the next, a stop has returned all of these.
TEST_F(EngineBulkRace, PutsInFrontWhatAStopHasReturned) {
  engine e;
  std::atomic<bool> runs{false}, go{false};
  e.schedule_after(0ns, [&] {  // the stop waits for it
    runs = true;
    while (!go) std::this_thread::yield();
  });
  ASSERT_TRUE(eventually([&] { return runs.load(); }));
  std::size_t returned = 0;
  std::thread stopper;
  copies reported;
  reported.made = [&](int count) {
    if (count != 3) return;
    stopper = std::thread([&] { returned = e.stop().size(); });
    while (!e.stopped()) std::this_thread::yield();
  };
  reported.ended = [&] {
    if (go.exchange(true)) return;
    stopper.join();
  };
  const reporting_callable callback(reported);
  std::vector<timer> out(6);
  EXPECT_EQ(e.schedule_at_bulk(std::vector<time_point>(6, clock::now() + 1h), callback, out), 5u);
  EXPECT_EQ(returned, 5u);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(static_cast<bool>(out[i]), i < 5) << i;
  expect_balance(e.metrics());
}

// Several threads cancel the same handles in bulk while the worker fires them.
TEST_F(EngineBulkRace, OfCancelsAgainstTheFiringHasOneWinnerForEach) {
  constexpr std::size_t count = 20'000;
  for (int round = 0; round < 5; ++round) {
    census captures;
    std::atomic<std::size_t> runs{0}, cancelled{0};
    engine e;
    std::vector<timer> out(count);
    std::vector<time_point> deadlines(count);
    const time_point base = clock::now() + 5ms;
    for (std::size_t i = 0; i < count; ++i) deadlines[i] = base + 200ns * static_cast<int>(i);
    e.schedule_at_bulk(
        deadlines, [&runs, token = captures.join()](std::size_t) { ++runs; }, out);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&, thread] {
        while (runs < count / 10) std::this_thread::yield();
        for (std::size_t lot = count / 100; lot-- > 0;) {  // from the far end towards what fires
          std::vector<timer> some(out.begin() + static_cast<std::ptrdiff_t>(100 * lot),
                                  out.begin() + static_cast<std::ptrdiff_t>(100 * lot + 100));
          if (thread == 1) std::reverse(some.begin(), some.end());
          cancelled += e.cancel_bulk(some);
        }
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(eventually([&] { return e.pending() == 0 && runs + cancelled == count; }));
    EXPECT_TRUE(eventually([&] { return captures.living() == 0; }));
    // A cancel that found its timer running is counted as one, though it did not win.
    EXPECT_TRUE(eventually([&] { return e.metrics().expired + e.metrics().cancelled == count; }));
    EXPECT_GE(e.metrics().cancelled, cancelled);
    expect_balance(e.metrics());
  }
}

}  // namespace
}  // namespace detent
