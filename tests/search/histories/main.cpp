// SPDX-License-Identifier: MIT
// The tests of histories, or one history again: --replay "hashed tick=1 slots=512 start=0: s5 a5 p1" prints each step.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "search/histories/contest.hpp"
#include "search/histories/engine_world.hpp"

namespace detent::history {
namespace {

int replay(std::string_view text) {
  const history reported = parse(text);
  engine_world world(reported.where);
  contest both(world, reported.where);
  std::string steps;
  both.trace(steps);
  const bool agreed = both.agree(reported.where.start, reported.steps, {});
  std::printf("%s%s\n", steps.c_str(), agreed ? "agreed" : both.difference().c_str());
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace detent::history

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--replay") {
    try {
      return detent::history::replay(argv[2]);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "--replay: %s\n", problem.what());
      return 2;
    }
  }
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "%s: not an option; there is --replay HISTORY, and those of GoogleTest\n", argv[1]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
