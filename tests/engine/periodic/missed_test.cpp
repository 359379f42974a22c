// SPDX-License-Identifier: MIT
// A periodic timer deals with periods that were missed.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

struct run {
  time_point deadline;
  std::uint64_t missed;
  bool operator==(const run&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const run& r) {
    return out << "{" << r.deadline.time_since_epoch().count() << " missed " << r.missed << "}";
  }
};

class missed_runs : public drive::in_virtual_time {
 protected:
  // The first run is due at 100, the others 100 apart.
  timer start(missed_ticks policy, std::uint64_t runs = 0) {
    auto log = [this](firing& f) { runs_.push_back({f.deadline(), f.missed()}); };
    return engine_.schedule_at_fixed_rate(100ns, 100ns, log, {.runs = runs, .missed_policy = policy});
  }
  std::vector<run> runs_;
};
using EnginePeriodicMissed = missed_runs;

TEST_F(EnginePeriodicMissed, SkipRunsOnceForTheLatestDuePeriodAndReportsTheRest) {
  start(missed_ticks::skip);
  EXPECT_EQ(rig_.poll_all_at(at(557)), 1u);
  EXPECT_EQ(runs_, (std::vector<run>{{at(500), 4}}));
}

// A heartbeat that paused for three seconds was three seconds late, whatever is done about the beats.
TEST_F(EnginePeriodicMissed, AStallIsAsLongInTheMetricsUnderEachPolicy) {
  for (missed_ticks policy : {missed_ticks::skip, missed_ticks::burst, missed_ticks::delay}) {
    drive::virtual_engine rig;
    const label beats = rig.engine.make_label("beats");
    std::uint64_t reported = 0;
    rig.engine.schedule_at_fixed_rate(10ms, 10ms, [&](firing& f) { reported += f.missed(); },
                                      {.missed_policy = policy, .label = beats});
    for (int beat = 1; beat <= 100; ++beat) rig.poll_at(at(beat * 10ms));
    rig.poll_all_at(at(1s + 10ms + 3s));
    const bool bursts = policy == missed_ticks::burst;
    EXPECT_EQ(reported, bursts ? 0u : 300u);
    for (const engine_metrics& seen : {rig.engine.metrics(), rig.engine.metrics(beats)}) {
      EXPECT_EQ(seen.fired, bursts ? 401u : 101u);
      EXPECT_EQ(seen.missed, reported);
      EXPECT_EQ(seen.lateness.max(), 3s);
      EXPECT_EQ(seen.late_wait.max(), 3s);
    }
  }
}

}  // namespace
}  // namespace detent
