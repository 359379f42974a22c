// SPDX-License-Identifier: MIT
// The command line, rounds with a seed each, and how they fail.
#pragma once

#include "storm/weights.hpp"

namespace stress {

// The parameters of a round. All its random choices follow from `seed`; only the machine's timing does not.
struct round_plan {
  std::uint64_t seed;
  unsigned threads;
  detent::time_point until;
  std::uint64_t operations;  // at most about so many
  weights odds;
  std::uint64_t tally::*count;  // what `operations` counts
};

// The whole of main(): plays rounds for as long as the command line says. A round that does not end within five minutes
// is a failure as well.
int run(int argc, char** argv, tally (*play)(const round_plan&), std::uint64_t (*walk)());

// One line with what went wrong and the seed of the round; ends the process with 1. Any thread.
[[noreturn]] void fail(const char* what);
inline void require(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    fail(what);
}

}  // namespace stress
