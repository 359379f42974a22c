// SPDX-License-Identifier: MIT
// Walks in child processes, as a broken promise may end them by any signal; and the shortest that still break one.
#pragma once

#include "search/worker_walks/program.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace detent::worker_walks {

struct outcome {
  std::size_t clean = 0;  // so many of them, the first ones, have broken nothing
  std::string why;        // what the next one has; empty: there is none
};
// Plays them one after another in one child process.
outcome trial(std::span<const program> walks);
inline outcome trial(std::initializer_list<program> walks) { return trial(std::span(walks.begin(), walks.size())); }
// Breaks the same in fewer and simpler moves. `why` is what trial() says of it.
program shrink(program failing, const std::string& why);

}  // namespace detent::worker_walks
