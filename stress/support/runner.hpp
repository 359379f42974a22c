// SPDX-License-Identifier: MIT
// What the programs have in common: options, rounds with a seed each, and how they fail.
#pragma once

#include <detent/time.hpp>

#include <cstdint>

namespace CLI {
class App;
}

namespace stress {

// What one round is passed. All that is random in it follows from `seed`, but for what the machine does.
struct round_plan {
  std::uint64_t seed;
  unsigned threads;
  detent::time_point until;
  std::uint64_t operations;  // at most about so many
};

struct program {
  const char* name;
  const char* description;
  const char* counted;  // what a round returns the number of
  std::uint64_t (*play)(const round_plan&);
  detent::duration round_length = std::chrono::milliseconds(100);
  unsigned threads = 3;
  void (*more_options)(CLI::App&) = nullptr;
};

// The whole of main(): plays rounds for as long as the command line says. A round that does not end within five minutes
// is a failure as well.
int run(int argc, char** argv, const program& what);

// One line with what went wrong and the seed of the round; ends the process with 1. Any thread.
[[noreturn]] void fail(const char* what);
inline void require(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    fail(what);
}

}  // namespace stress
