// SPDX-License-Identifier: MIT
// The text of a history, and the oracle where it does arithmetic of its own.
#include "search/histories/history.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "search/histories/boundaries.hpp"
#include "search/histories/contest.hpp"
#include "search/histories/enumeration.hpp"
#include "search/histories/oracle.hpp"

namespace detent::history {
namespace {

TEST(History, ReadsWhatItWrites) {
  for (std::string reported : {"hashed tick=3 slots=8 start=-5: s5 s-1 c2 r0:-7 a9223372036854775807 p1 p n",
                               "hierarchical tick=1 slots=512 start=64: g1:2x3 b1:2x3 k1:2x3 d1:2x3"}) {
    const history read = parse(reported);
    EXPECT_EQ(text(read.where, read.steps), reported);
  }
}

TEST(History, RefusesWhatIsNone) {
  for (const char* reported : {"s5", "hashed: x", "hashed: s", "hashed: s5x", "hashed: r0", "hashed: b1:0x1",
                               "hashed: a-1", "hashed: n1", "tick=0: s1", "square: s1", "hashed tick=1x: s1"}) {
    EXPECT_THROW(parse(reported), std::invalid_argument) << reported;
  }
}

std::vector<run> runs_of(const char* reported) {
  const history read = parse(reported);
  oracle world(read.where);
  world.begin(read.where.start);
  for (const operation& step : read.steps) perform(world, step);
  return world.fired;
}

TEST(History, HasAnOracleThatKnowsPeriods) {
  EXPECT_EQ(runs_of("hashed: b10:10x3 a25 p p p p"), (std::vector<run>{{0, 10, 0}, {0, 20, 0}}));
  EXPECT_EQ(runs_of("hashed: k10:10x3 a45 p p"), (std::vector<run>{{0, 40, 3}}));
  EXPECT_EQ(runs_of("hashed: k10:10x3 a45 p a5 p"), (std::vector<run>{{0, 40, 3}, {0, 50, 0}}));
  EXPECT_EQ(runs_of("hashed: d10:10x2 a45 p a9 p a1 p a99 p"), (std::vector<run>{{0, 10, 0}, {0, 55, 0}}));
  EXPECT_EQ(runs_of("hashed: g10:10x1 a45 p a10 p a10 p"), (std::vector<run>{{0, 10, 0}, {0, 55, 0}}));
  EXPECT_EQ(runs_of("hashed: b10:10x3 r0:7 a17 p p p"), (std::vector<run>{{0, 7, 0}, {0, 17, 0}}));
}

TEST(History, IsEnumeratedOncePerSequence) {
  const alphabet over{{1, 2}, {3}};
  std::size_t count = 0;
  EXPECT_TRUE(
      enumeration(over, 2).each([&](std::span<const operation> steps) { return ++count != 0 && steps.size() == 2; }));
  // 4 free steps; 3 more name a timer once there is one, after 2 of the 4.
  EXPECT_EQ(count, 4U * 4 + 2 * 3);
  EXPECT_FALSE(enumeration(over, 2).each([](std::span<const operation>) { return false; }));
}

TEST(History, StartsABlockBehindTheLastUntilTimeEnds) {
  const start_times starts(64, -1, 4'096);
  EXPECT_EQ(starts(0), 63);
  EXPECT_EQ(starts(63), 63);
  EXPECT_EQ(starts(64), 63 + 4'096);
  EXPECT_EQ(starts(63 + 4'097), 63 + 2 * 4'096);
  EXPECT_EQ(starts(detail::forever - 1), 63);
}

}  // namespace
}  // namespace detent::history
