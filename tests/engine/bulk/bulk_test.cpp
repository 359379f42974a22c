// SPDX-License-Identifier: MIT
// Many timers in one schedule call: handles, callables, limits.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;

std::vector<time_point> counted(std::size_t count, std::int64_t first = 1) {
  std::vector<time_point> deadlines;
  for (std::size_t i = 0; i < count; ++i) deadlines.push_back(at(first + static_cast<std::int64_t>(i)));
  return deadlines;
}

// A small one can be copied without a throw, and so each timer has its own; a large one is shared.
template <std::size_t Bytes>
struct counted_callable {
  explicit counted_callable(census& of) : here(of) {}
  counted_callable(const counted_callable&) noexcept = default;
  counted_callable(counted_callable&&) noexcept = default;
  void operator()(std::size_t) const {}
  census::token here;
  std::array<std::byte, Bytes> padding{};
};

class EngineBulk : public drive::in_virtual_time {
 protected:
  auto note_index() {
    return [this](std::size_t index) { fired_.push_back(static_cast<int>(index)); };
  }
};

TEST_F(EngineBulk, GivesEachItsHandle) {
  std::vector<timer> out(1000);
  const auto deadlines = counted(1000);
  EXPECT_EQ(engine_.schedule_at_bulk(deadlines, note_index(), out), 1000u);
  EXPECT_EQ(std::set<timer>(out.begin(), out.end()).size(), 1000u);
  for (timer& each : out) EXPECT_TRUE(each && each.pending());
  EXPECT_EQ(engine_.pending(), 1000u);
  EXPECT_EQ(engine_.metrics().boxed, 0u);
  EXPECT_EQ(out[500].cancel(), cancel_result::cancelled);
  EXPECT_TRUE(out[501].restart_at(at(5000)));
  EXPECT_EQ(rig_.poll_at(at(1000)), 998u);
  EXPECT_EQ(rig_.poll_at(at(5000)), 1u);
  EXPECT_EQ(fired_.back(), 501);
  for (timer& each : out) EXPECT_EQ(each.cancel(), cancel_result::gone);
}

TEST_F(EngineBulk, MakesOfBothTheShorter) {
  std::vector<timer> room(10), none;
  const auto ten = counted(10), three = counted(3);
  EXPECT_EQ(engine_.schedule_at_bulk(ten, note_index(), std::span(room).first(4)), 4u);
  EXPECT_TRUE(room[3]);
  EXPECT_FALSE(room[4]);
  EXPECT_EQ(engine_.schedule_at_bulk(three, note_index(), room), 3u);
  EXPECT_EQ(engine_.schedule_at_bulk(ten, note_index(), none), 0u);
  EXPECT_EQ(engine_.schedule_at_bulk({}, note_index(), room), 0u);
  EXPECT_EQ(engine_.pending(), 7u);
}

// One that fits is copied, one that does not is shared.
TEST_F(EngineBulk, DestroysEachCopyOnce) {
  census captures;
  {
    std::vector<timer> out(100);
    const auto deadlines = counted(100);
    const counted_callable<0> f(captures);
    EXPECT_EQ(engine_.schedule_at_bulk(deadlines, f, out), 100u);
    EXPECT_EQ(captures.living(), 101);
    rig_.poll_at(at(30));
    EXPECT_EQ(captures.living(), 71);
    for (std::size_t i = 30; i < 60; ++i) out[i].cancel();
    EXPECT_EQ(captures.living(), 41);
    EXPECT_EQ(engine_.stop().size(), 40u);
  }
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 101);
}

TEST_F(EngineBulk, SharesALargeCallableUntilTheLast) {
  census captures;
  std::vector<timer> out(100);
  const auto deadlines = counted(100);
  engine_.schedule_at_bulk(deadlines, counted_callable<200>(captures), out);
  EXPECT_EQ(captures.living(), 1);
  rig_.poll_at(at(50));
  for (std::size_t i = 50; i < 99; ++i) out[i].cancel();
  EXPECT_EQ(captures.living(), 1);
  rig_.poll_at(at(100));
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 1);
}

// It can only be moved, and keeps a count in itself.
TEST_F(EngineBulk, TakesACallableThatCannotBeCopied) {
  std::vector<timer> out(3);
  const auto deadlines = counted(3);
  auto sum = std::make_unique<std::size_t>(0);
  std::size_t* reported = sum.get();
  std::size_t last = 0;
  engine_.schedule_at_bulk(
      deadlines,
      [sum = std::move(sum), &last](std::size_t index) mutable {
        *sum += index;
        last = *sum;
      },
      out);
  EXPECT_EQ(*reported, 0u);
  rig_.poll_at(at(3));
  EXPECT_EQ(last, 3u);
}

TEST_F(EngineBulk, PassesTheOptionsOn) {
  std::vector<timer> out(5);
  const auto deadlines = counted(5, 1001);
  engine_.schedule_at(at(2000), rig_.note(-1));
  engine_.schedule_at_bulk(deadlines, note_index(), out, {.lane = 2, .slack = 100ns});
  EXPECT_GT(*engine_.next_deadline(), at(1001));
  rig_.poll_at(at(2000));
  EXPECT_EQ(fired_, (ids{0, 1, 2, 3, 4, -1}));
  engine_.schedule_at_bulk(deadlines, note_index(), out, {.max_lateness = 10ns});
  engine_.poll();
  EXPECT_EQ(engine_.metrics().dropped, 5u);
  census captures;
  engine_.schedule_at_bulk(deadlines, counted_callable<200>(captures), out, {.max_lateness = 10ns});
  engine_.poll();
  EXPECT_EQ(engine_.metrics().dropped, 10u);
}

TEST_F(EngineBulk, RefusesWhatASingleCallRefusesAndLeavesNothing) {
  census captures;
  std::vector<timer> out(5);
  const auto deadlines = counted(5);
  const counted_callable<0> f(captures);
  auto call = [&](timer_options options) {
    return drive::problem_of([&] { engine_.schedule_at_bulk(deadlines, f, out, options); }).code;
  };
  EXPECT_EQ(call({.lane = 4}), errc::invalid_option);
  EXPECT_EQ(call({.slack = -1ns}), errc::invalid_option);
  engine_.stop();
  EXPECT_EQ(call({}), errc::stopped);
  EXPECT_EQ(captures.living(), 1);
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
  for (const timer& each : out) EXPECT_FALSE(each);
}

}  // namespace
}  // namespace detent
