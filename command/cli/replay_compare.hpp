// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <array>
#include <string>
#include <vector>

#include "lateness/lateness_log.hpp"
#include "replay/replay_live.hpp"
#include "replay/replay_virtual.hpp"

namespace detent::tool {

inline constexpr std::array<const char*, 2> compared_wheels = {"hierarchical", "hashed"};
inline constexpr std::array<const char*, 3> compared_waits = {"busy", "hybrid", "sleep"};

struct compare_options {
  std::string trace;
  double speed = 1;
  duration longest = std::chrono::seconds(10);  // for each replay in real time
};

struct compare_run {
  std::string wheel, wait;
  live_outcome live;
};

struct compare_outcome {
  std::vector<compare_run> runs;       // each wheel with each way to wait
  lateness_log bare_spin, bare_sleep;  // measured beside each run; the logs of all runs together
  virtual_outcome virtual_check;       // the result of both wheels, for the whole trace
};

// Throws std::runtime_error if the wheels differ in virtual time.
void require_same_results(const std::string& trace, const virtual_outcome& hierarchical, const virtual_outcome& hashed);

// Replays one trace on both wheels, in virtual time and then in real time with every way to wait. Throws input_error,
// and what require_same_results() throws.
compare_outcome compare_replays(const compare_options& options);

// Returns a table, and the line that both wheels print in virtual time.
std::string compare_text(const compare_options& options, const compare_outcome& outcome);
std::string compare_json(const compare_options& options, const compare_outcome& outcome);

}  // namespace detent::tool
