// SPDX-License-Identifier: MIT
// One thread's random calls, and its count of what came of them.
#pragma once

#include "storm/scene.hpp"

#include <array>

namespace stress {

class player {
 public:
  player(scene& with, random_numbers& random) noexcept : with_(with), random_(random) {}

  // Anything, by the weights.
  void step();
  // The calls that a destructor may make too; it waits only where that closes no circle.
  void step_in_callback();
  // Schedules, cancels or restarts a timer, each as often as the others.
  void step_evenly(bool may_wait);
  const tally& counts() const noexcept { return mine_; }

 private:
  void meet(unsigned drawn);
  void schedule(account& at);
  detent::timer schedule_periodic(account& at, life_number life);
  void cancel(const sighting& seen, bool wait);
  void restart(const sighting& seen);
  void use_old();
  void finish_scheduling(sighting born, detent::timer made, bool over);

  void step_on_groups();
  void schedule_in(shared_group& at);
  void live_briefly();
  void live_on_a_thread();
  void live_on_an_engine();

  detent::time_point soon();

  scene& with_;
  random_numbers& random_;
  tally mine_;
  std::array<sighting, 64> old_{};
};

}  // namespace stress
