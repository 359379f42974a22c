// SPDX-License-Identifier: MIT
// What comes due in the higher lanes while a worker collects a bulk, or sorts it, does not wait for the end of that.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ratio>
#include <string_view>
#include <thread>
#include <vector>

#include "support/engine_executors.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::instant;
using testing::moody_executor;
using testing::prepare_instant;

constexpr std::size_t takes_between_looks = 256;

// A long tick: what the wheel has to insert again on the way to a deadline is done well before that.
using tick = std::chrono::duration<std::int64_t, std::centi>;

// The driver observes each node once that it takes out of the wheel because it is due.
bool takes_out(const hooks::site& where) {
  return where.is_in("state_word.hpp") && std::string_view(where.function) == "observe";
}
// The last that it does before: what it has observed until then decides when to wake up.
bool looks_at_bell(const hooks::site& where) {
  return where.is_in("doorbell.hpp") && std::string_view(where.function) == "has_rung";
}

// A run in a higher lane, and what of the bulk had been taken out and had run before it.
struct overtaking {
  int lane;
  std::size_t taken_out, ran;
};

// `count` timers of the bulk come due, and while the worker takes out number `stays_in` of them, so does one in each
// higher lane. A test that finds that passed too early tries again with a longer gap in between.
std::vector<overtaking> overtake(engine_options options, std::size_t count, std::size_t stays_in) {
  options.tick = tick(1);
  for (duration gap = 20ms; gap < 10s; gap *= 2) {
    std::vector<overtaking> runs;
    std::size_t taken_out = 0;
    bool in_time = false;
    time_point bulk_due, due;
    const hooks::watcher stays = [&](hooks::operation, const hooks::site& where) {
      if (looks_at_bell(where) && taken_out < stays_in) taken_out = 0;
      if (!takes_out(where) || clock::now() < bulk_due || ++taken_out != stays_in) return;
      in_time = clock::now() < due;
      while (clock::now() < due) std::this_thread::yield();
    };
    auto all = prepare_instant(options, count, 0, [&](instant& of) {
      bulk_due = std::chrono::ceil<tick>(of.due);
      due = bulk_due + gap;
      for (std::uint8_t lane = 1; lane < lane_count; ++lane) {
        of.owned->schedule_at(due, [&, lane] { runs.push_back({lane, taken_out, of.ran}); }, {.lane = lane});
      }
      of.owned->schedule_after(0ns, [&] { hooks::watch(&stays); });
    });
    if (all == nullptr || !all->wait()) {
      ADD_FAILURE() << "the bulk has not fired";
      return {};
    }
    all->owned->stop();
    if (in_time) return runs;
  }
  ADD_FAILURE() << "never in time";
  return {};
}

void expect_each_lane_in_order(const std::vector<overtaking>& runs) {
  std::vector<int> lanes;
  for (const overtaking& each : runs) lanes.push_back(each.lane);
  EXPECT_EQ(lanes, (std::vector<int>{3, 2, 1}));
}

// All of them at the next check, on the worker or by an executor.
TEST(EngineLanesInTheMiddle, DoNotWaitUntilTheBulkIsCollected) {
  constexpr std::size_t count = 2000, stays_in = 300;
  for (const bool on_executor : {false, true}) {
    SCOPED_TRACE(on_executor);
    engine_options options;
    if (on_executor) options.executor = std::make_shared<moody_executor>();
    const std::vector<overtaking> runs = overtake(options, count, stays_in);
    expect_each_lane_in_order(runs);
    for (const overtaking& each : runs) {
      EXPECT_GE(each.taken_out, stays_in) << each.lane;
      EXPECT_LE(each.taken_out, stays_in + 2 * takes_between_looks) << each.lane;
    }
  }
}

// They come due after the last check of the collection, and the bulk is large enough for one while it is sorted.
TEST(EngineLanesInTheMiddle, DoNotWaitUntilTheBulkIsSorted) {
  constexpr std::size_t count = 10'000;
  const std::vector<overtaking> runs = overtake({}, count, count);
  expect_each_lane_in_order(runs);
  for (const overtaking& each : runs) EXPECT_EQ(each.ran, 0u) << each.lane;
}

}  // namespace
}  // namespace detent
