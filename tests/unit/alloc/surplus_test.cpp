// SPDX-License-Identifier: MIT
// slot_pool has more free slots than are asked for.
#include <detent/alloc/slot_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "counting_source.hpp"

namespace detent::alloc {
namespace {

using testing::allocate_many;
using testing::counted;
using testing::counting_source;
using testing::free_all;
using testing::small_pool;
using testing::sorted;

// 20 slabs come back in random order: nearly all of them are in the map before anybody tidies.
struct shuffled_surplus {
  explicit shuffled_surplus(std::uint32_t seed = 1) : slots(allocate_many(pool, cache, number)) {
    std::shuffle(slots.begin(), slots.end(), std::mt19937(seed));
    free_all(pool, cache, slots);
  }
  static constexpr std::size_t number = 20 * small_pool::slots_per_slab;
  // Returns for how many slots the next one is the neighbour in memory.
  static std::size_t neighbours(const std::vector<slot_index>& of) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < of.size(); ++i) count += of[i] == of[i - 1] + 1;
    return count;
  }
  counting_source pages;
  small_pool pool{pages, 0};
  slot_cache cache;
  std::vector<slot_index> slots;
};

TEST(Surplus, ComesBackByItsPlaceInMemory) {
  shuffled_surplus freed;
  while (freed.pool.is_untidy()) freed.pool.tidy([] { return false; });
  slot_cache cache;
  const std::vector<slot_index> again = allocate_many(freed.pool, cache, freed.number);
  EXPECT_EQ(std::set<slot_index>(again.begin(), again.end()).size(), again.size());
  EXPECT_GT(shuffled_surplus::neighbours(again), freed.number * 3 / 4);
}

TEST(Surplus, IsSortedAsItIsFreedWhereItIsLarge) {
  shuffled_surplus freed;
  slot_cache cache;
  const std::vector<slot_index> again = allocate_many(freed.pool, cache, freed.number / 2);
  EXPECT_GT(shuffled_surplus::neighbours(again), again.size() / 2);
  EXPECT_LT(*std::max_element(again.begin(), again.end()), freed.number * 7 / 8);
}

// Threads of the first generation get new slots, and those of the second what the first has left. No list of ended
// threads remains.
TEST(Surplus, IsSortedAtTheEndOfThreadsOfEachGeneration) {
  counting_source pages;
  slot_pool<counted> pool(pages, 0);
  for (int generation = 0; generation != 3; ++generation) {
    std::vector<slot_cache> threads(16 * default_traits::shallow);
    for (slot_cache& each : threads) pool.free(each, pool.allocate(each));
    for (slot_cache& each : threads) pool.flush(each);
    EXPECT_FALSE(pool.is_untidy()) << generation;
  }
}

TEST(Surplus, IsTidiedNoLongerThanItMay) {
  counting_source pages;
  slot_pool<counted> pool(pages, 0);
  slot_cache cache;
  const std::vector<slot_index> slots = allocate_many(pool, cache, pool.first_carve + 30 * pool.magazine_capacity);
  free_all(pool, cache, slots);
  pool.flush(cache);
  int slices = 0;
  while (pool.is_untidy()) pool.tidy([&slices] { return ++slices != 0; });
  EXPECT_GT(slices, 0);
  std::vector<slot_index> again = allocate_many(pool, cache, slots.size());
  EXPECT_EQ(sorted(again), sorted(slots));
}

// Four slabs, free again after each slot has had a second life.
struct written_surplus {
  written_surplus() {
    for (slot_index each : slots) *word_of(each) = each % 7 + 2;
    free_all(pool, cache, slots);
  }
  std::uint64_t* word_of(slot_index slot) { return static_cast<std::uint64_t*>(pool.hot(slot)); }
  bool look() {
    return pool.give_back(cache, [] { return false; });
  }
  counting_source pages;
  slot_pool<counted> pool{pages, 0};
  slot_cache cache;
  std::vector<slot_index> slots = allocate_many(pool, cache, 4 * pool.slots_per_slab);
};

TEST(Surplus, GoesBackToTheKernelAfterTwoLooks) {
  written_surplus freed;
  const std::size_t before = freed.pages.resident(), nodes = freed.slots.size() * freed.pool.slot_bytes;
  EXPECT_TRUE(freed.look());
  EXPECT_GE(freed.pages.resident(), nodes);
  EXPECT_FALSE(freed.look());
  EXPECT_LE(freed.pages.resident(), before - nodes * 9 / 10);  // the map has grown
  EXPECT_FALSE(freed.look());
}

TEST(Surplus, StaysWhereItWasUsedBetweenTwoLooks) {
  written_surplus freed;
  freed.look();
  freed.pool.free(freed.cache, freed.pool.allocate(freed.cache));
  const std::size_t before = freed.pages.resident();
  freed.look();
  EXPECT_GT(freed.pages.resident() + freed.slots.size() * freed.pool.slot_bytes, before);
}

TEST(Surplus, ComesBackFromTheKernelWithNoFewerLives) {
  written_surplus freed;
  freed.look();
  freed.look();
  for (slot_index each : allocate_many(freed.pool, freed.cache, freed.slots.size())) {
    ASSERT_GE(freed.word_of(each)[0], each % 7 + 2) << each;
    ASSERT_LE(freed.word_of(each)[0], 8u) << each;
    ASSERT_EQ(freed.word_of(each)[1], 0u) << each;
  }
  EXPECT_EQ(freed.pool.carved(), freed.slots.size());
}

// Their neighbours would share their lives, and come to the end of them.
TEST(Surplus, StaysWhereASlotHasLivedHalfItsLives) {
  written_surplus freed;
  for (slot_index each = 0; each < freed.slots.size(); each += freed.pool.slots_per_slab / 32)
    *freed.word_of(each) = std::uint64_t{1} << 63;
  const std::size_t before = freed.pages.resident();
  freed.look();
  EXPECT_FALSE(freed.look());
  EXPECT_GE(freed.pages.resident() + freed.slots.size() * freed.pool.slot_bytes / 2, before);
}

}  // namespace
}  // namespace detent::alloc
