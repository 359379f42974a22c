// SPDX-License-Identifier: MIT
// The tests of histories, or one history again: --replay "hashed tick=1 slots=512 start=0: s5 a5 p1" prints each step.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "search/histories/contest.hpp"
#include "search/histories/engine_world.hpp"
#include "search/histories/wheel_world.hpp"

namespace detent::history {
namespace {

template <class World>
bool replay_in(const char* name, const history& reported) {
  World world(reported.where);
  contest<World> both(world, reported.where);
  std::string steps;
  both.trace(steps);
  const bool agreed = both.agree(reported.where.start, reported.steps, {});
  std::printf("== %s\n%s%s\n", name, steps.c_str(), agreed ? "agreed" : both.difference().c_str());
  return agreed;
}

bool is_plain(const history& reported) {
  for (const operation& step : reported.steps) {
    if (step.what >= action::rearm && step.what <= action::fixed_delay) return false;
  }
  return reported.steps.size() <= 8;
}

int replay(std::string_view text) {
  const history reported = parse(text);
  bool agreed = replay_in<engine_world>("engine", reported);
  if (is_plain(reported) && reported.where.wheel == wheel_kind::hashed) {
    agreed &= replay_in<wheel_world<shrunk_ring>>("hashed wheel alone", reported);
  } else if (is_plain(reported)) {
    agreed &= replay_in<wheel_world<shrunk_hierarchy<1>>>("2 slots a level", reported);
    agreed &= replay_in<wheel_world<shrunk_hierarchy<2>>>("4 slots a level", reported);
  }
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
