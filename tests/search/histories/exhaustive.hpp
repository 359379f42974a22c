// SPDX-License-Identifier: MIT
// Runs the engine through every history of an enumeration, and reports the first that goes wrong, once more and step by
// step, on an engine of its own.
#pragma once

#include <gtest/gtest.h>

#include "search/histories/contest.hpp"
#include "search/histories/enumeration.hpp"

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace detent::history {

// Returns whether the longest tests run as well.
inline bool long_tests() {
  const char* const asked = std::getenv("DETENT_LONG_TESTS");
  return asked != nullptr && std::string_view(asked) == "1";
}

inline constexpr const char* only_long = "only with DETENT_LONG_TESTS=1";

// starts(earliest) is the next time that a history may start from, not before `earliest` where there is one left.
template <class Starts>
void agrees_in_all(engine_world& world, setting where, enumeration histories, manner how, Starts starts) {
  contest both(world, where);
  std::size_t count = 0, run = 0;
  const bool agreed = histories.each([&](std::span<const operation> steps) {
    if (count++ % DETENT_HISTORY_SHARE != 0) return true;
    where.start = starts(world.now());
    if (both.agree(where.start, steps, how)) return ++run != 0;
    engine_world alone(where);
    contest again(alone, where);
    std::string trace;
    again.trace(trace);
    again.agree(where.start, steps, how);
    ADD_FAILURE() << both.difference() << "\nin " << text(where, steps) << "\nalone:\n" << trace << again.difference();
    return false;
  });
  EXPECT_TRUE(run != 0 || !agreed);
  std::cout << "  " << run << " histories like \"" << text(where, {}) << "\"\n";
}

}  // namespace detent::history
