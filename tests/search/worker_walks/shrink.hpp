// SPDX-License-Identifier: MIT
// Plays walks in child processes, because a broken promise may end them by any signal, and makes failing ones short.
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
// Returns a program that fails in the same way in fewer and simpler moves. trial() has reported `why`.
program shrink(program failing, const std::string& why);

}  // namespace detent::worker_walks
