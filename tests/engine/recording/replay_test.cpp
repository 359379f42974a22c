// SPDX-License-Identifier: MIT
// Random traces replayed in virtual time, compared with the model row by row: order, deadlines and counts.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/drive_model.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using due = drive::timer_model::due;

enum class flavour { ties, powers, idle_timeouts };
enum class op { arm, cancel, move_time };
struct row {
  time_point t;
  op what;
  int id;
  duration delay;
};
constexpr int id_count = 300;

// The end of time is reached from anywhere by the longest delay.
time_point later(time_point t, duration delay) { return delay > time_point::max() - t ? time_point::max() : t + delay; }

class trace_source {
 public:
  trace_source(flavour kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  row next() {
    now_ += step();
    const std::uint64_t dice = random_() % 10;
    const op what = dice < 6 ? op::arm : dice < 9 ? op::cancel : op::move_time;
    return {now_, what, static_cast<int>(random_() % id_count), delay()};
  }

 private:
  duration step() {
    if (kind_ == flavour::ties) return duration(random_() % 4 == 0 ? 1 : 0);
    if (kind_ == flavour::powers) return duration(random_() % 3 == 0 ? 1ll << random_() % 42 : 0);
    return duration(random_() % 20'000);
  }
  duration delay() {
    if (kind_ == flavour::ties) return duration(random_() % 12);
    if (kind_ == flavour::idle_timeouts) return random_() % 8 == 0 ? 40ms : duration(4'000'000 * (random_() % 30));
    if (random_() % 50 == 0) return duration::max();
    return duration((1ll << random_() % 62) + static_cast<std::int64_t>(random_() % 3) - 1);
  }

  flavour kind_;
  std::mt19937_64 random_;
  time_point now_{};
};

struct counts {
  std::uint64_t scheduled = 0, restarted = 0, cancelled = 0, late_cancels = 0;
  bool operator==(const counts&) const = default;
};

// Applies rows to an engine as a replay does: first fires what is due by then.
class replayed_engine {
 public:
  explicit replayed_engine(engine_options options) : rig_(std::move(options)), timers_(id_count) {}

  void apply(const row& r) {
    fire(r.t);
    timer& named = timers_[static_cast<std::size_t>(r.id)];
    if (r.what == op::cancel) {
      ++(named.cancel() == cancel_result::cancelled ? reported.cancelled : reported.late_cancels);
    } else if (r.what == op::arm && named.pending()) {
      EXPECT_TRUE(named.restart_at(later(r.t, r.delay)));
      ++reported.restarted;
    } else if (r.what == op::arm) {
      named = rig_.engine.schedule_at(later(r.t, r.delay), [this, id = r.id](firing& f) {
        fired.push_back({id, f.deadline()});
      });
      ++reported.scheduled;
    }
  }
  void fire(time_point now) { rig_.poll_at(now); }
  engine& get() { return rig_.engine; }

  std::vector<due> fired;
  counts reported;

 private:
  drive::virtual_engine rig_;
  std::vector<timer> timers_;
};

class replayed_model {
 public:
  explicit replayed_model(duration tick) : model(tick) {}

  void apply(const row& r) {
    fire(r.t);
    if (r.what == op::cancel) {
      ++(model.cancel(r.id) ? reported.cancelled : reported.late_cancels);
    } else if (r.what == op::arm) {
      ++(model.pending(r.id) ? reported.restarted : reported.scheduled);
      model.arm(r.id, later(r.t, r.delay));
    }
  }
  void fire(time_point now) {
    while (auto next = model.take(now)) fired.push_back(*next);
  }

  drive::timer_model model;
  std::vector<due> fired;
  counts reported;
};

using replay_case = std::tuple<wheel_kind, duration, flavour>;
using EngineReplay = testing::TestWithParam<replay_case>;

std::string case_name(const testing::TestParamInfo<replay_case>& info) {
  static const std::vector<std::string> flavours{"ties", "powers", "idle_timeouts"};
  return std::string(std::get<0>(info.param) == wheel_kind::hashed ? "hashed_" : "hierarchical_") +
         std::to_string(std::get<1>(info.param).count()) + "ns_" +
         flavours[static_cast<std::size_t>(std::get<2>(info.param))];
}
INSTANTIATE_TEST_SUITE_P(Traces, EngineReplay,
                         testing::Combine(drive::both_wheels, testing::Values(1ns, 3ns, 7us),
                                          testing::Values(flavour::ties, flavour::powers, flavour::idle_timeouts)),
                         case_name);

TEST_P(EngineReplay, FiresEachRandomTraceAsTheModelDoes) {
  const auto& [wheel, tick, kind] = GetParam();
  for (int round = 0; round < 4; ++round) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    replayed_engine real({.tick = tick, .wheel = wheel});
    replayed_model expected(tick);
    trace_source trace(kind, seed);
    for (int i = 0; i < 5'000; ++i) {
      const row r = trace.next();
      real.apply(r);
      expected.apply(r);
      ASSERT_EQ(real.fired.size(), expected.fired.size()) << "row " << i;
    }
    ASSERT_EQ(real.reported, expected.reported);
    ASSERT_EQ(real.get().pending(), expected.model.size());
    real.fire(time_point::max());
    expected.fire(time_point::max());
    ASSERT_TRUE(real.fired == expected.fired);
    ASSERT_EQ(real.get().pending(), 0u);
    const engine_metrics m = real.get().metrics();
    EXPECT_EQ(m.scheduled, expected.reported.scheduled);
    EXPECT_EQ(m.restarted, expected.reported.restarted);
    EXPECT_EQ(m.cancelled, expected.reported.cancelled);
    EXPECT_EQ(m.fired, expected.fired.size());
    EXPECT_EQ(m.expired, expected.fired.size());
  }
}

}  // namespace
}  // namespace detent
