// SPDX-License-Identifier: MIT
// Memory runs out while timers are handed over to a pool: what it does not take is untouched, and the rest runs once.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::fault_scope;
using hostile::walk;

// Takes all that it is given, for later.
struct holder final : executor {
  explicit holder(std::size_t most) { held.reserve(most); }
  bool execute(fired_timer&& work) noexcept override {
    held.push_back(std::move(work));
    return true;
  }
  std::vector<fired_timer> held;
};

void hand_over_in(std::size_t pieces) {
  walk([pieces](fault_scope& scope) {
    constexpr std::size_t timers = 300;
    thread_pool pool;
    auto held = std::make_shared<holder>(timers);
    manual_clock clock;
    engine e({.manual = &clock, .executor = held, .reserve = timers});
    std::vector<std::atomic<int>> runs(timers);
    for (auto& each : runs) e.schedule_after(0ns, [&each] { ++each; });
    EXPECT_EQ(e.poll(), 0u);
    ASSERT_EQ(held->held.size(), timers);
    std::size_t taken = 0;
    scope.during([&] {
      for (std::size_t at = 0; at != timers; at += pieces) {
        const std::size_t now = pool.execute_many(std::span(held->held).subspan(at, pieces));
        taken += now;
        if (now != pieces) return;
      }
    });
    EXPECT_TRUE(eventually([&] { return e.metrics().expired == taken; }));
    for (std::size_t i = 0; i != timers; ++i) EXPECT_EQ(runs[i], i < taken ? 1 : 0) << i;
    held->held.clear();
    EXPECT_EQ(e.metrics().dropped, timers - taken);
  });
}

TEST(BadAllocPool, TakesTimersOneByOneOrRefusesThem) { hand_over_in(1); }
TEST(BadAllocPool, TakesTheFirstOfManyTimersAndLeavesTheRest) { hand_over_in(100); }

}  // namespace
}  // namespace detent
