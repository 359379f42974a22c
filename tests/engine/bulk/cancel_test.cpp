// SPDX-License-Identifier: MIT
// Many handles in one cancel call, whatever they are handles of.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "limits.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::at_end;
using testing::census;
using testing::settle;

class EngineCancelBulk : public drive::in_virtual_time {
 protected:
  std::vector<timer> schedule(std::size_t count, std::int64_t deadline = 10) {
    std::vector<timer> made(count);
    const std::vector<time_point> deadlines(count, at(deadline));
    engine_.schedule_at_bulk(
        deadlines, [this](std::size_t i) { fired_.push_back(static_cast<int>(i)); }, made);
    return made;
  }
};

TEST_F(EngineCancelBulk, CountsEachOnceAndNothingElse) {
  std::vector<timer> all = schedule(100);
  all.resize(200);  // empty ones
  all.insert(all.end(), all.begin(), all.begin() + 100);
  EXPECT_EQ(all[3].cancel(), cancel_result::cancelled);
  EXPECT_EQ(engine_.cancel_bulk(all), 99u);
  EXPECT_EQ(engine_.cancel_bulk(all), 0u);
  EXPECT_EQ(engine_.cancel_bulk({}), 0u);
  EXPECT_EQ(engine_.metrics().cancelled, 100u);
}

TEST_F(EngineCancelBulk, TakesHandlesOfAnotherEngine) {
  drive::virtual_engine other;
  std::vector<timer> all = schedule(10);
  for (int i = 0; i < 30; ++i) all.push_back(other.engine.schedule_at(at(10), other.note(i)));
  EXPECT_EQ(engine_.cancel_bulk(all), 40u);
  EXPECT_EQ(other.engine.metrics().cancelled, 30u);
  EXPECT_EQ(engine_.metrics().cancelled, 10u);
  EXPECT_EQ(other.poll_at(at(20)), 0u);
}

// The captures' destructors use the engine, also this very call, on the thread that cancels.
TEST_F(EngineCancelBulk, LetsACaptureUseTheEngine) {
  for (const bool inserted : {false, true}) {
    std::vector<timer> inner = schedule(200, 500), all;
    for (std::size_t i = 0; i < 200; ++i) {
      all.push_back(engine_.schedule_at(at(400), at_end([this, &inner, i] {
                                          const timer one[] = {inner[i]};
                                          EXPECT_EQ(engine_.cancel_bulk(one), 1u);
                                          engine_.schedule_at(at(300), [] {}).cancel();
                                        })));
    }
    if (inserted) engine_.next_deadline();
    EXPECT_EQ(engine_.cancel_bulk(all), 200u);
    EXPECT_EQ(engine_.pending(), 0u);
  }
  EXPECT_EQ(rig_.poll_at(at(1000)), 0u);
}

// The worker takes inserted ones out of the wheel, notified of many at a time; their nodes are used again.
TEST(EngineCancelBulkOnAWorker, FreesTheNodesOfWhatWasInserted) {
  engine e({.wait = wait_options::sleep(), .reserve = 4096});
  e.schedule_after(1h, [] {});
  std::vector<timer> out(std::min<std::size_t>(4000, detail::limits::least_backlog / 2));
  for (int round = 0; round < 5; ++round) {
    const std::vector<time_point> deadlines(out.size(), clock::now() + 30min);
    ASSERT_EQ(e.schedule_at_bulk(
                  deadlines, [](std::size_t) {}, out),
              out.size());
    ASSERT_TRUE(settle(e));
    const std::uint64_t rings = e.metrics().rings;
    EXPECT_EQ(e.cancel_bulk(out), out.size());
    EXPECT_LE(e.metrics().rings - rings, 1u);
    ASSERT_TRUE(settle(e));
  }
  const engine_metrics m = e.metrics();
  EXPECT_EQ(m.pending, 1u);
  EXPECT_EQ(m.cancelled, 5 * out.size());
}

// A capture holds what owns the engine.
TEST(EngineCancelBulkOnAWorker, MayEndTheEngineByACapture) {
  census captures;
  auto owned = std::make_unique<engine>();
  engine& e = *owned;
  std::vector<timer> all;
  for (int i = 0; i < 100; ++i) all.push_back(e.schedule_after(1h, [token = captures.join()] {}));
  all.push_back(e.schedule_after(1h, at_end([&owned] { owned.reset(); })));
  ASSERT_TRUE(settle(e));
  EXPECT_EQ(e.cancel_bulk(all), 101u);
  EXPECT_EQ(owned, nullptr);
  EXPECT_EQ(captures.living(), 0);
}

}  // namespace
}  // namespace detent
