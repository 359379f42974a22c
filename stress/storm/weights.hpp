// SPDX-License-Identifier: MIT
// How often a round does each thing. A preset is a set of weights with a name.
#pragma once

#include "storm/ledger.hpp"

#include <optional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace stress {

struct weights {
  // Shares of a step:
  unsigned schedule = 8, cancel = 24, restart = 28, stale = 4, groups = 0, engines = 0, threads = 0;
  // Out of 100 timers, cancels or deadlines:
  unsigned periodic = 0, destructors = 0, waits = 4, near = 10;
  // Out of 100 rounds:
  unsigned pools = 33, starved = 0, refusing = 0, stop = 25, unstopped = 0, aged = 0;
};

struct preset {
  const char* name;
  const char* description;
  weights values;
  const char* counted = "operations";
  std::uint64_t tally::*count = &tally::operations;
  std::chrono::milliseconds round{100};
};

std::span<const preset> presets();

// --only NAME, and an option for each weight, which the preset of each round then has.
class weight_options {
 public:
  void add_to(CLI::App& app);
  // The preset for a round; one by the seed if none was named.
  preset choose(std::uint64_t seed) const;
  const std::string& only() const noexcept { return only_; }

 private:
  std::string only_;
  std::optional<unsigned> chosen_[17];
};

}  // namespace stress
