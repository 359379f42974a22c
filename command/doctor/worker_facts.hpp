// SPDX-License-Identifier: MIT
// The facts about the examined worker that the doctor is given or finds out.
#pragma once
#include <detent/options.hpp>

#include <optional>

namespace detent::tool {

struct worker_facts {
  std::optional<int> cpu = {};                  // engine_options::cpu
  std::optional<int> priority = {};             // engine_options::realtime_priority
  std::optional<wait_options::kind> wait = {};  // engine_options::wait
  std::optional<long long> process = {};        // one that runs; empty for this process
  std::optional<long long> thread = {};         // of that process
  bool hands_over = false;                      // callbacks run on other threads of that process
};

}  // namespace detent::tool
