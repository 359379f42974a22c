// SPDX-License-Identifier: MIT
// unfired_timer: what stop() hands back, and what its owner may do with it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/engine_captures.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::bystander;
using testing::census;

// One timer, scheduled and returned by an engine that has ended since.
template <class F>
unfired_timer returned_timer(F&& f) {
  manual_clock clk;
  engine e({.manual = &clk, .reserve = 16});
  e.schedule_after(5s, std::forward<F>(f));
  std::vector<unfired_timer> left = e.stop();
  return std::move(left.front());
}

TEST(EngineUnfired, RunsOnce) {
  int runs = 0;
  census callables;
  unfired_timer left = returned_timer([&, here = callables.join()] { ++runs; });
  left.run();
  EXPECT_EQ(callables.ended(), 1);
  left.run();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(callables.ended(), 1);
}

TEST(EngineUnfired, EndsWhatItHadWhereAnotherIsMovedIn) {
  census first, second;
  unfired_timer left = returned_timer([here = first.join()] {});
  left = returned_timer([here = second.join()] {});
  EXPECT_EQ(first.living(), 0);
  EXPECT_EQ(second.living(), 1);
  unfired_timer& same = left;
  left = std::move(same);
  EXPECT_EQ(second.living(), 1);
  int runs = 0;
  left = returned_timer([&] { ++runs; });
  same = std::move(left);
  left.run();
  EXPECT_EQ(runs, 1);
}

TEST(EngineUnfired, RunsALargeCallableToo) {
  int sum = 0;
  std::array<int, 50> numbers{};
  numbers.back() = 7;
  unfired_timer left = returned_timer([&sum, numbers] { sum = numbers.back(); });
  left.run();
  EXPECT_EQ(sum, 7);
}

TEST(EngineUnfired, LetsWhatItsCallbackThrowsThroughAndIsSpent) {
  int runs = 0;
  unfired_timer left = returned_timer([&] {
    ++runs;
    throw std::runtime_error("thrown");
  });
  EXPECT_THROW(left.run(), std::runtime_error);
  EXPECT_NO_THROW(left.run());
  EXPECT_EQ(runs, 1);
}

TEST(EngineUnfired, DestroysItsCallableOnceIfItIsLetGo) {
  census small, large;
  {
    unfired_timer first = returned_timer(bystander<0>{small.join()}),
                  second = returned_timer(bystander<100>{large.join()});
    EXPECT_EQ(small.living(), 1);
    EXPECT_EQ(large.living(), 1);
  }
  EXPECT_EQ(small.ended(), 1);
  EXPECT_EQ(large.ended(), 1);
}

TEST(EngineUnfired, TakesItsCallableAlongWhenMoved) {
  census callables;
  unfired_timer first = returned_timer(bystander<0>{callables.join()});
  unfired_timer second(std::move(first));
  EXPECT_EQ(callables.living(), 1);
  unfired_timer other = returned_timer([] {});
  other = std::move(second);
  EXPECT_EQ(callables.living(), 1);
  other.run();
  EXPECT_EQ(callables.ended(), 1);
}

}  // namespace
}  // namespace detent
