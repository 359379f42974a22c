// SPDX-License-Identifier: MIT
// The pauses between attempts, and what keeps attempts within a budget.
#include "backoff.hpp"
#include "recent_latency.hpp"
#include "token_budget.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <vector>

namespace rpc {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

std::vector<nanoseconds> pauses(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  backoff drawn({.first = 10ms, .longest = 100ms}, random);
  std::vector<nanoseconds> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result.push_back(drawn.next());
  return result;
}

TEST(RpcBackoff, DrawsFromTheUpperHalfOfASpanThatDoublesUpToTheLongest) {
  const std::vector<nanoseconds> spans = {10ms, 20ms, 40ms, 80ms, 100ms, 100ms};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<nanoseconds> drawn = pauses(seed, 6);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      EXPECT_GE(drawn[i], spans[i] / 2) << "seed " << seed << ", pause " << i;
      EXPECT_LE(drawn[i], spans[i]) << "seed " << seed << ", pause " << i;
    }
  }
}

TEST(RpcBackoff, StaysAtTheLongestForEver) {
  const std::vector<nanoseconds> drawn = pauses(1, 1000);
  EXPECT_GE(drawn.back(), 50ms);
  EXPECT_LE(drawn.back(), 100ms);
}

TEST(RpcBackoff, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(pauses(7, 20), pauses(7, 20));
  EXPECT_NE(pauses(7, 20), pauses(8, 20));
}

TEST(RpcBackoff, DoesNotBringBackTogetherWhoFailedTogether) {
  std::mt19937_64 random(1);
  std::set<nanoseconds> instants;
  for (int call = 0; call < 1000; ++call) instants.insert(backoff({.first = 10ms, .longest = 1s}, random).next());
  EXPECT_GT(instants.size(), 900u);
}

TEST(RpcTokenBudget, GivesTheReserveAndThenTheShareOfTheCalls) {
  token_budget budget(10, 5);
  int taken = 0;
  while (budget.take()) ++taken;
  EXPECT_EQ(taken, 5);
  for (int call = 0; call < 1000; ++call) {
    budget.earn();
    taken += budget.take() ? 1 : 0;
  }
  EXPECT_EQ(taken, 105);
  EXPECT_TRUE(budget.kept());
}

TEST(RpcTokenBudget, SavesUpNoMoreThanTheReserve) {
  token_budget budget(10, 5);
  for (int call = 0; call < 1000; ++call) budget.earn();
  int taken = 0;
  while (budget.take()) ++taken;
  EXPECT_EQ(taken, 5);
}

TEST(RpcRecentLatency, IsThePercentileOfWhatCameLast) {
  recent_latency latency(95);
  for (int i = 0; i < 1023; ++i) latency.add(1h);
  EXPECT_FALSE(latency.percentile());
  latency.add(1h);
  EXPECT_EQ(latency.percentile(), nanoseconds(1h));
  for (int i = 0; i < 1024; ++i) latency.add(i % 100 < 90 ? 1ms : 2ms);
  EXPECT_EQ(latency.percentile(), nanoseconds(2ms));
}

}  // namespace
}  // namespace rpc
