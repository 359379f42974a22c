// SPDX-License-Identifier: MIT
// Walks in child processes, as a broken promise may end them by any signal; and the shortest that still break one.
#pragma once

#include "search/worker_walks/program.hpp"

#include <initializer_list>
#include <span>
#include <string>

#include "support/platform/walk_child.hpp"

namespace detent::worker_walks {

// Plays them one after another in one child process.
test::walk_outcome trial(std::span<const program> walks);
inline test::walk_outcome trial(std::initializer_list<program> walks) {
  return trial(std::span(walks.begin(), walks.size()));
}
// Breaks the same in fewer and simpler moves. `why` is what trial() says of it.
program shrink(program failing, const std::string& why);

}  // namespace detent::worker_walks
