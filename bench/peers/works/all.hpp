// SPDX-License-Identifier: MIT
// Gives a system the works that its adapter can do.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "calls.hpp"
#include "fire.hpp"
#include "lateness.hpp"
#include "memory.hpp"
#include "pair.hpp"

namespace peers {

// `make(timers)` returns the adapter and may be called more than once. If `only` is not empty, it names the works that
// are wanted.
template <class Make>
void add_works(system& to, const std::vector<std::string_view>& only, Make make) {
  const auto add = [&](std::string_view name, auto run) {
    if (only.empty() || std::ranges::find(only, name) != only.end()) to.works.emplace(name, run);
  };
  add("pair", [make](const request& wanted) { return run_pair<false>(make, wanted); });
  if constexpr (takes_deadlines<decltype(make(std::size_t{}))>) {
    add("pair_at", [make](const request& wanted) { return run_pair<true>(make, wanted); });
    add("calls", [make](const request& wanted) { return run_calls(make, wanted); });
  }
  add("fire", [make](const request& wanted) { return run_fire(make, wanted); });
  add("lateness", [make](const request& wanted) { return run_lateness(make, wanted); });
  add("memory", [make](const request& wanted) { return run_memory(make, wanted); });
}

}  // namespace peers
