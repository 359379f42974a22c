// SPDX-License-Identifier: MIT
// A live engine's recording, replayed.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "replay/replay_virtual.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

class RecordReplay : public testing::Test {
 protected:
  // Timers either end long before they are due or stay. Virtual time has no lateness, so it must give what the engine
  // did.
  engine_metrics record_threads(unsigned seed) {
    engine e({.record = trace_});
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < 4; ++me) {
      threads.emplace_back([&, me] {
        std::mt19937 random(seed + me);
        std::array<timer, 32> timers{};
        for (int i = 0; i < 3000; ++i) {
          timer& at = timers[random() % timers.size()];
          const duration delay = 1h + duration(random() % 1000);
          if (random() % 3 == 0) {
            at.cancel();
          } else if (!at.restart_after(delay)) {
            at = e.schedule_after(delay, [] {});
          }
        }
      });
    }
    for (std::thread& each : threads) each.join();
    e.stop();
    return e.metrics();
  }

  test::temporary_directory directory_;
  const std::string trace_ = directory_.path() + "/trace.csv";
};

TEST_F(RecordReplay, DoesWhatTheEngineDid) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const engine_metrics live = record_threads(seed);
  const replay_counts counts = replay_virtual({.trace = trace_}).counts;
  EXPECT_EQ(counts.dropped, 0u);
  EXPECT_EQ(counts.scheduled, live.scheduled);
  EXPECT_EQ(counts.restarted, live.restarted);
  EXPECT_EQ(counts.cancelled, live.cancelled);
  EXPECT_EQ(counts.late_cancels, 0u);
  EXPECT_EQ(counts.fired, 0u);
  EXPECT_EQ(counts.pending_at_last_row, live.returned);
}

TEST_F(RecordReplay, FiresOnVirtualTimeWhatFiredOnVirtualTime) {
  manual_clock clock;
  std::uint64_t fired = 0, pending = 0;
  {
    engine e({.manual = &clock, .record = trace_});
    for (int i = 0; i < 1000; ++i) {
      e.schedule_after(duration(i % 37), [&](firing& now) {
        ++fired;
        if (now.deadline().time_since_epoch() < 30ns) now.rearm_after(3ns);
      });
      if (i % 10 == 0) {
        clock.advance(1ns);
        while (e.poll() != 0) {
        }
      }
    }
    pending = e.pending();
  }
  const replay_counts counts = replay_virtual({.trace = trace_}).counts;
  EXPECT_EQ(counts.fired, fired);
  EXPECT_EQ(counts.pending_at_last_row, pending);
}

}  // namespace
}  // namespace detent::tool
