// SPDX-License-Identifier: MIT
// Nodes at the end of their 2^27 generations: brought close to it by hand, or by living them.
#pragma once

#include "storm/crew.hpp"

#include <detent/detent.hpp>

#include <vector>

namespace stress {

// For an engine that the calling thread drives. Returns handles of the first lives of `count` nodes.
std::vector<detent::timer> age_nodes(detent::engine& engine, std::size_t count, random_numbers& random);

// All generations of one node, one by one, with the handle of the first thrown at each. Returns how many.
std::uint64_t walk_to_the_end();

}  // namespace stress
