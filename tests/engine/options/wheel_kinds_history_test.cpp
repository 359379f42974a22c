// SPDX-License-Identifier: MIT
// Random histories whose callbacks schedule, cancel, restart and re-arm, cut into bounded polls: each wheel must go
// through them exactly as the model does.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/drive_model.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

constexpr int runs_at_most = 4;

// What happened, word by word; two worlds that agree have the same.
using history = std::vector<std::int64_t>;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// What the callback of `id` does in its `run`th run: the same in both worlds. Nothing is restarted to this instant, as
// a timer runs once in a call.
template <class World>
void act(World& world, std::uint64_t seed, int id, int run) {
  const std::uint64_t dice = mix(seed ^ mix(static_cast<std::uint64_t>(id) << 8 | static_cast<std::uint64_t>(run)));
  const time_point now = world.now();
  const duration ahead((dice >> 20) % 5 == 0 ? 1'000'000 : (dice >> 24) % 40);
  const int other = static_cast<int>((dice >> 32) % static_cast<std::uint64_t>(world.count()));
  switch (dice % 8) {
    case 0: world.schedule(now + ahead); break;
    case 1: world.schedule(now - ahead); break;
    case 2: world.cancel(other); break;
    case 3: world.cancel(id); break;
    case 4: world.restart(other, now + ahead + 1ns); break;
    case 5:
      if (run < runs_at_most) world.rearm(now + ahead + 1ns);
      break;
    default: break;
  }
}

class real_world {
 public:
  real_world(engine_options options, std::uint64_t seed) : rig_(std::move(options)), seed_(seed) {}

  time_point now() const { return rig_.clock.now(); }
  int count() const { return static_cast<int>(timers_.size()); }
  void schedule(time_point deadline) {
    const int id = count();
    runs_.push_back(0);
    timers_.push_back(rig_.engine.schedule_at(deadline, [this, id](firing& f) { run(id, f); }));
  }
  void cancel(int id) {
    reported.push_back(timers_[static_cast<std::size_t>(id)].cancel() == cancel_result::cancelled ? 1 : 0);
  }
  void restart(int id, time_point deadline) {
    reported.push_back(timers_[static_cast<std::size_t>(id)].restart_at(deadline) ? 1 : 0);
  }
  void rearm(time_point deadline) { running_->rearm_at(deadline); }
  void poll(std::size_t max) { reported.push_back(static_cast<std::int64_t>(rig_.engine.poll(max))); }
  void move_to(time_point t) { rig_.clock.advance_to(t); }
  std::size_t pending() const { return rig_.engine.pending(); }

  history reported;

 private:
  void run(int id, firing& f) {
    reported.push_back(id);
    reported.push_back(f.deadline().time_since_epoch().count());
    running_ = &f;
    act(*this, seed_, id, ++runs_[static_cast<std::size_t>(id)]);
  }

  drive::virtual_engine rig_;
  std::uint64_t seed_;
  firing* running_ = nullptr;
  std::deque<timer> timers_;
  std::deque<int> runs_;
};

class model_world {
 public:
  model_world(duration tick, std::uint64_t seed) : model_(tick), seed_(seed) {}

  time_point now() const { return now_; }
  int count() const { return static_cast<int>(runs_.size()); }
  void schedule(time_point deadline) {
    model_.arm(count(), deadline);
    runs_.push_back(0);
  }
  void cancel(int id) {
    if (id == running_) cancelled_itself_ = true;
    reported.push_back(model_.cancel(id) ? 1 : 0);
  }
  void restart(int id, time_point deadline) {
    const bool done = model_.pending(id);
    reported.push_back(done ? 1 : 0);
    if (done) model_.arm(id, deadline);
  }
  void rearm(time_point deadline) { rearmed_ = deadline; }
  void poll(std::size_t max) {
    std::size_t fired = 0;
    while (fired < max) {
      auto next = model_.take(now_);
      if (!next) break;
      ++fired;
      run(next->id, next->deadline);
    }
    reported.push_back(static_cast<std::int64_t>(fired));
  }
  void move_to(time_point t) { now_ = t; }
  std::size_t pending() const { return model_.size(); }

  history reported;

 private:
  void run(int id, time_point deadline) {
    reported.push_back(id);
    reported.push_back(deadline.time_since_epoch().count());
    running_ = id;
    rearmed_.reset();
    cancelled_itself_ = false;
    act(*this, seed_, id, ++runs_[static_cast<std::size_t>(id)]);
    if (rearmed_ && !cancelled_itself_) model_.arm(id, *rearmed_);
    running_ = -1;
  }

  drive::timer_model model_;
  std::uint64_t seed_;
  time_point now_{};
  int running_ = -1;
  bool cancelled_itself_ = false;
  std::optional<time_point> rearmed_;
  std::deque<int> runs_;
};

// One step from outside, the same in every world that is given the same dice.
template <class World>
void step(World& world, std::uint64_t dice) {
  const duration ahead(static_cast<std::int64_t>((dice >> 8) % 3 == 0 ? (dice >> 16) % 3'000'000 : (dice >> 16) % 60));
  const int other = static_cast<int>((dice >> 40) % static_cast<std::uint64_t>(world.count() + 1));
  switch (dice % 8) {
    case 0:
    case 1:
    case 2: world.schedule(world.now() + ahead - 10ns); break;
    case 3:
      if (other < world.count()) world.cancel(other);
      break;
    case 4:
      if (other < world.count()) world.restart(other, world.now() + ahead + 1ns);
      break;
    case 5: world.move_to(world.now() + ahead / 3); break;
    case 6: world.poll((dice >> 12) % 4); break;
    default: world.poll(SIZE_MAX); break;
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
    real_world real({.tick = tick, .wheel = wheel}, seed);
    model_world expected(tick, seed);
    for (int i = 0; i < 4'000; ++i) {
      const std::uint64_t dice = random();
      step(real, dice);
      step(expected, dice);
      ASSERT_EQ(real.reported, expected.reported) << "step " << i;
      ASSERT_EQ(real.pending(), expected.pending()) << "step " << i;
      real.reported.clear();
      expected.reported.clear();
    }
  }
}

}  // namespace
}  // namespace detent
