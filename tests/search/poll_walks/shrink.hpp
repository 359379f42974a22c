// SPDX-License-Identifier: MIT
// Plays programs in processes of their own, so that a crash is a failure like any other; and makes failing ones small.
#pragma once

#include "search/poll_walks/generate.hpp"
#include "search/poll_walks/program.hpp"

#include <cstdint>
#include <string>

#include "support/platform/walk_child.hpp"

namespace detent::poll_walks {

// The first broken rule; empty if none was.
std::string failure_of(const program& of);

// As few operations, with as few options, as still fail.
program shrink(program failing);

// Plays the walks of these seeds, one after another, until one fails.
test::walk_outcome search(std::uint64_t first, std::uint64_t most, double seconds, const avoided& without);

}  // namespace detent::poll_walks
