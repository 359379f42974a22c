// SPDX-License-Identifier: MIT
// Critical timers are served all through a long step of the bulk, however they were armed: between two of their runs
// the worker takes out or moves no more than some hundred or thousand timers.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::bulk_kind;
using testing::eventually;
using testing::instant;
using testing::prepare_instant;

constexpr std::size_t takes_between_looks = detail::limits::takes_between, stretch = detail::limits::stretch;
constexpr timer_options critical{.lane = 3};
// Timers that are due at such a time come out of the hierarchical wheel together, and no part of them late.
constexpr duration slot(1 << 27);

// The driver observes each node once that it takes out of the wheel, and those that it runs or inserts a few times
// more.
bool takes_out(const hooks::site& where) {
  return where.is_in("state_word.hpp") && std::string_view(where.function) == "observe";
}

// Counts on the worker from the first callback on.
class takes {
 public:
  explicit takes(engine& of) {
    of.schedule_after(0ns, [this] { hooks::watch(&counts_); });
  }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;  // the worker's
  const hooks::watcher counts_ = [this](hooks::operation, const hooks::site& where) {
    if (takes_out(where)) ++count_;
  };
};

class EngineLanesGap : public ::testing::TestWithParam<wheel_kind> {
 protected:
  engine_options options() const { return {.reserve = 0, .wheel = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Wheels, EngineLanesGap, ::testing::Values(wheel_kind::hierarchical, wheel_kind::hashed));

// A timer that goes on, armed by its own run or by its period, from the instant on until the bulk runs.
TEST_P(EngineLanesGap, IsSmallForATimerThatGoesOnWhileABulkIsCollectedAndSorted) {
  constexpr std::size_t many = 40'000;
  for (const bool periodic : {false, true}) {
    std::vector<std::size_t> taken;  // when it ran
    std::unique_ptr<takes> counts;
    auto all = prepare_instant(
        options(), many, 0,
        [&](instant& of) {
          taken.clear();
          counts = std::make_unique<takes>(*of.owned);
          auto run = [&](firing& f) {
            if (f.started() < of.due) return;
            taken.push_back(counts->count());
            if (of.ran != 0) {
              f.self().cancel();
            } else if (!periodic) {
              f.rearm_after(0ns);
            }
          };
          if (periodic) {
            of.owned->schedule_at_fixed_rate(of.due - clock::now() - 5ms, 1us, run, {.lane = 3});
          } else {
            of.owned->schedule_at(of.due, run, critical);
          }
        },
        slot);
    ASSERT_NE(all, nullptr);
    ASSERT_TRUE(all->wait());
    all->owned->stop();
    ASSERT_GT(taken.size(), 2u);
    std::size_t widest = 0, while_sorted = 0;
    for (std::size_t i = 1; i < taken.size(); ++i) {
      const std::size_t gap = taken[i] - taken[i - 1];
      widest = std::max(widest, gap);
      if (gap < takes_between_looks) ++while_sorted;
    }
    EXPECT_GE(taken.back() - taken.front(), many - takes_between_looks);
    EXPECT_LE(widest, 2 * takes_between_looks + 64);
    // The walks of the sort: the memory, the span, the digits counted, two of them moved, the runs of equals.
    EXPECT_GE(while_sorted, 5 * ((many - 1) / stretch));
  }
}

// After three hundred of the bulk's, by a thread that has seen a critical callback run in the middle.
TEST_P(EngineLanesGap, IsSmallForWhatAnotherThreadSubmitsInTheMiddle) {
  constexpr std::size_t many = 10'000;
  for (const bulk_kind kind : {bulk_kind::collected, bulk_kind::run}) {
    std::size_t submitted_at = 0, ran_at = 0;
    std::atomic<std::size_t> late{0};
    std::unique_ptr<takes> counts;
    auto all = prepare_instant(
        options(), many, 0,
        [&](instant& of) {
          counts = std::make_unique<takes>(*of.owned);
          late = 0;
          of.owned->schedule_at(
              of.due,
              [&] {
                std::thread([&] {
                  for (int i = 0; i < 300; ++i) of.owned->schedule_after(0ns, [&] { ++late; });
                  of.owned->schedule_after(
                      0ns, [&] { ran_at = counts->count(); }, critical);
                }).join();
                submitted_at = counts->count();
              },
              critical);
        },
        slot, kind);
    ASSERT_NE(all, nullptr);
    ASSERT_TRUE(all->wait());
    EXPECT_TRUE(eventually([&] { return late == 300; }));
    all->owned->stop();
    EXPECT_GT(ran_at, submitted_at);
    EXPECT_LE(ran_at - submitted_at, 3 * takes_between_looks + 4 * 300);
  }
}

// A slot of the wheel begins at that very instant, with thousands that come due much later.
TEST(EngineLanesGap, IsSmallForWhatIsDueWhenASlotBegins) {
  constexpr duration large_slot(1 << 30);
  constexpr int many = 20'000;
  for (duration lead = 200ms;; lead *= 2) {
    engine e({.wait = wait_options::busy(), .reserve = 0});
    takes counts(e);
    const time_point begins(((clock::now() + lead).time_since_epoch() / large_slot + 1) * large_slot);
    std::atomic<bool> ran{false};
    std::size_t before = 0, at_run = 0;
    for (int i = 0; i < many; ++i) e.schedule_at(begins + large_slot / 2 + duration(i), [] {});
    e.schedule_at(
        begins - 5ms, [&] { before = counts.count(); }, critical);
    e.schedule_at(
        begins,
        [&] {
          at_run = counts.count();
          ran = true;
        },
        critical);
    const bool in_time = testing::settle(e) && clock::now() < begins - lead / 8;
    ASSERT_TRUE(eventually([&] { return ran.load(); }));
    e.stop();
    if (!in_time) continue;
    EXPECT_LE(at_run - before, 4 * takes_between_looks);
    return;
  }
}

}  // namespace
}  // namespace detent
