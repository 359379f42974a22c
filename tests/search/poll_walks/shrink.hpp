// SPDX-License-Identifier: MIT
// Plays programs in processes of their own, so that a crash is a failure like any other; and makes failing ones small.
#pragma once

#include "search/poll_walks/generate.hpp"
#include "search/poll_walks/program.hpp"

#include <cstdint>
#include <string>

namespace detent::poll_walks {

// What went wrong; empty: nothing did.
std::string failure_of(const program& of);

// As few operations, with as few options, as still fail.
program shrink(program failing);

// Plays the walks of these seeds, one after another, until one fails: its seed, or how many were played.
struct search_result {
  bool failed = false;
  std::uint64_t seed = 0, walks = 0;
  std::string failure;
};
search_result search(std::uint64_t first, std::uint64_t most, double seconds, const avoided& without);

}  // namespace detent::poll_walks
