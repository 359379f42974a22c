// SPDX-License-Identifier: MIT
#include "../src/operation_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

operation numbered(std::uint64_t id) { return {.id = id, .kind = operation_kind::schedule}; }

bool put(operation_ring& ring, std::uint64_t id) {
  operation_ring::place* place = ring.take();
  if (place == nullptr) return false;
  place->what = numbered(id);
  ring.fill(*place);
  return true;
}

TEST(OperationRing, GivesWhatWasPutInInItsOrderRoundAfterRound) {
  operation_ring ring(4);
  for (std::uint64_t id = 0; id < 100; ++id) {
    ASSERT_TRUE(put(ring, id));
    ASSERT_TRUE(put(ring, 1000 + id));
    ASSERT_NE(ring.front(), nullptr);
    EXPECT_EQ(ring.front()->what.id, id);
    ring.pop();
    EXPECT_EQ(ring.front()->what.id, 1000 + id);
    ring.pop();
    EXPECT_EQ(ring.front(), nullptr);
    EXPECT_EQ(ring.size(), 0u);
  }
}

TEST(OperationRing, RefusesWhatHasNoRoomAndTakesItAgainWhenThereIs) {
  operation_ring ring(4);
  for (std::uint64_t id = 0; id < 4; ++id) ASSERT_TRUE(put(ring, id));
  EXPECT_FALSE(put(ring, 4));
  ring.pop();
  EXPECT_TRUE(put(ring, 5));
  EXPECT_FALSE(put(ring, 6));
}

TEST(OperationRing, HoldsBackAllAfterAPlaceThatIsNotFilled) {
  operation_ring ring(4);
  operation_ring::place* first = ring.take();
  ASSERT_TRUE(put(ring, 2));
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_EQ(ring.size(), 2u);
  first->what = numbered(1);
  ring.fill(*first);
  EXPECT_EQ(ring.front()->what.id, 1u);
}

TEST(OperationRing, ReportsEachQuarterOnce) {
  operation_ring ring(16);
  int reported = 0;
  for (int i = 0; i < 160; ++i) {
    reported += ring.fill(*ring.take()) ? 1 : 0;
    ring.pop();
  }
  EXPECT_EQ(reported, 40);
}

TEST(OperationRing, LosesNothingOfManyThreadsAndKeepsEachOnesOrder) {
  constexpr std::uint64_t each = 20'000, threads = 3;
  operation_ring ring(64);
  std::vector<std::thread> producers;
  for (std::uint64_t me = 0; me < threads; ++me) {
    producers.emplace_back([&, me] {
      for (std::uint64_t i = 0; i < each; ++i) {
        while (!put(ring, me << 32 | i)) std::this_thread::yield();
      }
    });
  }
  std::array<std::uint64_t, threads> next{};
  for (std::uint64_t seen = 0; seen < threads * each;) {
    const operation_ring::place* next_one = ring.front();
    if (next_one == nullptr) {
      std::this_thread::yield();
      continue;
    }
    std::uint64_t& expected = next[next_one->what.id >> 32];
    ASSERT_EQ(next_one->what.id & 0xffffffff, expected);
    ++expected;
    ++seen;
    ring.pop();
  }
  for (std::thread& producer : producers) producer.join();
}

}  // namespace
}  // namespace detent::detail
