// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "lateness/lateness_probe.hpp"
#include "text/option_values.hpp"

namespace detent::tool {

struct load_options {
  std::uint64_t timers = 1000;
  std::uint64_t producers = 1;
  double cancel = 0.9;  // fraction of the timers
  double restart = 0;   // fraction that is restarted once, with a new delay, before being due or cancelled
  time_range delay = {std::chrono::milliseconds(1), std::chrono::milliseconds(100)};
  duration length = std::chrono::seconds(5);
  double rate = 0;  // limit of schedules per second for all producers together; 0 for none
  wheel_kind wheel = wheel_kind::hierarchical;
  wait_options wait = wait_options::hybrid();
  std::uint64_t seed = 0;
  std::string record = {};                     // empty for no recording
  std::string counters = {};                   // empty for no counters file
  std::optional<int> cpu = {}, priority = {};  // the worker's
  duration tick = duration(1);
  std::uint64_t executor = 0;  // threads of a pool for the callbacks; 0 leaves them to the worker
};

struct load_counts {
  std::uint64_t scheduled = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t late_cancels = 0;  // too late, because the timer had fired
  std::uint64_t restarted = 0;
};

// One thread's share of a synthetic load. It keeps `timers` timers pending, with delays that are uniformly distributed.
// For each timer it decides at once whether it will be restarted or cancelled, and how long before its deadline. A
// timer that has ended is replaced.
class load_producer {
 public:
  load_producer(engine& engine, lateness_probe& probe, const load_options& options, std::uint64_t number,
                std::uint64_t timers);

  // Runs until that time. After a request to stop, it ends within a tenth of a second.
  load_counts run(time_point until, const std::stop_token& stop = {});

 private:
  enum class step : std::uint8_t { cancel, restart, replace, schedule };
  struct plan {
    time_point at;
    std::size_t slot;
    step what;
    friend bool operator>(const plan& a, const plan& b) { return a.at > b.at; }
  };

  void carry_out(const plan& due, time_point now);
  void replace(std::size_t slot, time_point now);
  void schedule(std::size_t slot, time_point now);
  void restart(std::size_t slot, time_point now);
  void plan_end(std::size_t slot, time_point now, duration delay);
  duration part_of(duration delay);

  engine& engine_;
  lateness_probe& probe_;
  std::mt19937_64 random_;
  std::uniform_int_distribution<std::int64_t> delay_;
  std::uniform_real_distribution<double> unit_{0, 1};
  double cancel_, restart_;
  duration between_schedules_;
  time_point next_schedule_ = {};
  std::vector<timer> slots_;
  std::priority_queue<plan, std::vector<plan>, std::greater<>> plans_;
  load_counts counts_;
};

}  // namespace detent::tool
