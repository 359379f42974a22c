// SPDX-License-Identifier: MIT
// Random histories whose callbacks schedule, cancel, restart and re-arm, cut into bounded polls: each wheel must go
// through them exactly as the specification says.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <tuple>

#include "support/drive_specified.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

constexpr int runs_at_most = 4;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// Its callbacks do what a seed says.
class acting_engine : public drive::specified_engine {
 public:
  acting_engine(const engine_options& options, std::uint64_t seed) : specified_engine(options), seed_(seed) {}

  void schedule_acting(time_point deadline) {
    runs_.push_back(0);
    schedule(deadline, [this](timer_id id, firing& seen) { act(id, seen, ++runs_[id - 1]); });
  }

 private:
  // Nothing is restarted to this instant, as a timer runs once in a call.
  void act(timer_id id, firing& seen, int run) {
    const std::uint64_t dice = mix(seed_ ^ mix(std::uint64_t{id} << 8 | static_cast<std::uint64_t>(run)));
    const duration ahead((dice >> 20) % 5 == 0 ? 1'000'000 : (dice >> 24) % 40);
    const auto other = static_cast<timer_id>(1 + (dice >> 32) % made());
    switch (dice % 8) {
      case 0: return schedule_acting(now() + ahead);
      case 1: return schedule_acting(now() - ahead);
      case 2: return cancel(other);
      case 3: return cancel(id);
      case 4: return restart(other, now() + ahead + 1ns);
      case 5:
        if (run < runs_at_most) rearm(id, seen, now() + ahead + 1ns);
        return;
      default: return;
    }
  }

  std::uint64_t seed_;
  std::deque<int> runs_;
};

// One step from outside.
void step(acting_engine& world, std::uint64_t dice) {
  const duration ahead(static_cast<std::int64_t>((dice >> 8) % 3 == 0 ? (dice >> 16) % 3'000'000 : (dice >> 16) % 60));
  const auto other = static_cast<spec::timer_id>(1 + (dice >> 40) % (world.made() + std::uint64_t{1}));
  switch (dice % 8) {
    case 0:
    case 1:
    case 2: return world.schedule_acting(world.now() + ahead - 10ns);
    case 3:
      if (other <= world.made()) world.cancel(other);
      return;
    case 4:
      if (other <= world.made()) world.restart(other, world.now() + ahead + 1ns);
      return;
    case 5: return world.move_to(world.now() + ahead / 3);
    case 6: return world.poll((dice >> 12) % 4);
    default: return world.poll();
  }
}

using history_case = std::tuple<wheel_kind, duration>;
using EngineWheelKindsHistory = testing::TestWithParam<history_case>;

std::string case_name(const testing::TestParamInfo<history_case>& info) {
  return std::string(std::get<0>(info.param) == wheel_kind::hashed ? "hashed_" : "hierarchical_") +
         std::to_string(std::get<1>(info.param).count()) + "ns";
}
INSTANTIATE_TEST_SUITE_P(Wheels, EngineWheelKindsHistory,
                         testing::Combine(drive::both_wheels, testing::Values(1ns, 3ns, 7us)), case_name);

TEST_P(EngineWheelKindsHistory, GoesAsTheModelsWhateverCallbacksDoMeanwhile) {
  const auto& [wheel, tick] = GetParam();
  for (int round = 0; round < 8; ++round) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    acting_engine world({.tick = tick, .wheel = wheel}, seed);
    for (int i = 0; i < 4'000; ++i) {
      step(world, random());
      ASSERT_EQ(world.broken(), "") << "step " << i;
    }
  }
}

}  // namespace
}  // namespace detent
