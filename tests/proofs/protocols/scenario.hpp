// SPDX-License-Identifier: MIT
// A few threads doing what the engine's threads do to each other, on the library's own headers.
#pragma once

#include <proofs/explorer/atomic.hpp>
#include <proofs/explorer/explore.hpp>

#include <initializer_list>
#include <vector>

namespace model {

struct scenario {
  const char* name;
  void (*what)(execution& run);
  bounds limits = {};
  std::vector<const char*> marks = {};  // each is reached by some execution, or the scenario is not what it seems
};

// A namespace-scope object of this type adds its scenarios to those that the program runs.
struct suite {
  suite(const char* name, std::initializer_list<scenario> scenarios);
};

}  // namespace model
