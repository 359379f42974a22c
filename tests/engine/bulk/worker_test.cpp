// SPDX-License-Identifier: MIT
// Many timers in one schedule call, and what it costs in wake-ups of a worker.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "support/engine_instant.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

// A full lot of handles is announced at once: the worker sleeps towards something far, and is woken once.
TEST(EngineBulkOnAWorker, RingsAtMostOnce) {
  engine e({.wait = wait_options::sleep()});
  e.schedule_after(1h, [] {});
  ASSERT_TRUE(testing::settle(e));
  std::vector<timer> out(detail::limits::least_backlog / 2);
  std::vector<time_point> deadlines(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) deadlines[i] = clock::now() + 30min - 1ms * static_cast<int>(i);
  const std::uint64_t before = e.metrics().rings;
  EXPECT_EQ(e.schedule_at_bulk(
                deadlines, [](std::size_t) {}, out),
            out.size());
  EXPECT_LE(e.metrics().rings - before, 1u);
}

// It sleeps towards something far, and the earliest of them is neither the first nor the last. A timer with options is
// stored elsewhere, and its wake time is found in another way.
void expect_woken_for_the_earliest(engine_options made_with) {
  made_with.wait = wait_options::sleep();
  made_with.name = "bulk";
  std::atomic<int> fired{0};
  engine e(std::move(made_with));
  e.schedule_after(1h, [] {});
  ASSERT_TRUE(testing::settle(e));
  const std::array<timer_options, 5> each_kind{
      {{}, {.max_lateness = 1h}, {.slack = 1us}, {.lane = 2}, {.label = e.make_label("bulk")}}};
  for (const timer_options& options : each_kind) {
    ASSERT_TRUE(drive::thread_sleeps("bulk"));
    const int before = fired;
    const time_point far = clock::now() + 2h;
    std::vector<timer> out(3);
    EXPECT_EQ(e.schedule_at_bulk(
                  std::array{far, clock::now() + 1ms, far}, [&](std::size_t) { ++fired; }, out, options),
              3u);
    ASSERT_TRUE(eventually([&] { return fired == before + 1; })) << "kind " << &options - each_kind.data();
  }
}

TEST(EngineBulkOnAWorker, IsWokenForTheEarliest) { expect_woken_for_the_earliest({}); }
TEST(EngineBulkOnAWorker, IsWokenForTheEarliestWithItsOrigin) {
  expect_woken_for_the_earliest({.capture_origin = true});
}

// Though nothing of it is due.
TEST(EngineBulkOnAWorker, IsAcceptedWhereItIsMuch) {
  engine e({.wait = wait_options::sleep()});
  e.schedule_after(1h, [] {});
  ASSERT_TRUE(testing::settle(e));
  std::vector<timer> out(100'000);
  const std::vector<time_point> deadlines(out.size(), clock::now() + 2h);
  EXPECT_EQ(e.schedule_at_bulk(
                deadlines, [](std::size_t) {}, out),
            out.size());
  EXPECT_TRUE(eventually([&] { return e.metrics().backlog < out.size() / 2; }));
}

}  // namespace
}  // namespace detent
