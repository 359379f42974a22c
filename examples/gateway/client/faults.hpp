// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <random>

#include "crowd.hpp"

namespace load {

// Deliberate faults, each on its own timer; all timers are in one group.
class faults {
 public:
  faults(crowd& victims, detent::engine& engine);
  // Lets a gateway that is stopped go on.
  ~faults();

  // No more of them. A freeze that has begun comes to its end.
  void end() { timers_.cancel_all(); }
  bool frozen() const { return thaw_.pending(); }
  std::uint64_t freezes() const { return freezes_; }

 private:
  void begin(const fault_choice& chosen);
  // Harms so many sessions, at random, in each period.
  template <class Harm>
  void each(detent::duration first, detent::duration period, std::size_t count, Harm harm);
  void freeze();
  void thaw();

  crowd& victims_;
  detent::engine& engine_;
  detent::timer_group timers_;
  detent::timer thaw_;
  std::bernoulli_distribution toss_;
  std::uint64_t freezes_ = 0;
};

}  // namespace load
