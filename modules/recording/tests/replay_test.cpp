// SPDX-License-Identifier: MIT
// Random traces replayed in virtual time, beside the specification: order, deadlines and counts.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "specified_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

enum class flavour { ties, powers, idle_timeouts };
enum class op { arm, cancel, move_time };
struct row {
  time_point t;
  op what;
  int id;
  duration delay;
};
constexpr int id_count = 300;

// The longest delay reaches the end of time from anywhere.
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

// Applies rows as a replay does: it first fires everything that is due by then.
class replayed : public drive::specified_engine {
 public:
  using specified_engine::specified_engine;

  void apply(const row& r) {
    fire(r.t);
    timer_id& named = named_[static_cast<std::size_t>(r.id)];
    if (r.what == op::cancel) {
      if (named != 0) cancel(named);
    } else if (r.what == op::arm && named != 0 && pending(named)) {
      restart(named, later(r.t, r.delay));
    } else if (r.what == op::arm) {
      named = schedule(later(r.t, r.delay));
    }
  }
  void fire(time_point by) {
    move_to(by);
    poll();
  }

 private:
  std::array<timer_id, id_count> named_{};
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
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    replayed world({.tick = tick, .wheel = wheel});
    trace_source trace(kind, seed);
    for (int i = 0; i < 5'000; ++i) {
      world.apply(trace.next());
      ASSERT_EQ(world.broken(), "") << "row " << i;
    }
    world.fire(time_point::max());
    ASSERT_EQ(world.broken(), "");
    ASSERT_EQ(world.real().pending(), 0u);
    const engine_metrics m = world.real().metrics();
    const spec::counts expected = world.expected().metrics();
    EXPECT_EQ(m.scheduled, expected.scheduled);
    EXPECT_EQ(m.restarted, expected.restarted);
    EXPECT_EQ(m.cancelled, expected.cancelled);
    EXPECT_EQ(m.fired, expected.fired);
    EXPECT_EQ(m.expired, expected.expired);
  }
}

}  // namespace
}  // namespace detent
