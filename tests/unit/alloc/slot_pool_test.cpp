// SPDX-License-Identifier: MIT
#include <detent/alloc/slot_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "counting_source.hpp"
#include "support/joined_thread.hpp"

namespace detent::alloc {
namespace {

using testing::allocate_many;
using testing::counted;
using testing::counting_source;
using testing::free_all;
using testing::mappings;
using testing::small_pool;
using testing::sorted;

struct two_slabs : testing::small_traits {
  static constexpr std::size_t max_slabs = 2;
};

constexpr std::uint32_t capacity = small_pool::magazine_capacity;

TEST(SlotPool, HandsOutEachSlotOnce) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache cache;
  std::set<slot_index> seen;
  for (slot_index each : allocate_many(pool, cache, 1000)) {
    EXPECT_NE(each, no_slot);
    EXPECT_LT(each, pool.carved());
    EXPECT_TRUE(seen.insert(each).second) << each;
  }
}

TEST(SlotPool, ReusesTheSlotFreedLast) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache cache;
  std::vector<slot_index> slots = allocate_many(pool, cache, 2 * capacity);
  free_all(pool, cache, slots);
  std::reverse(slots.begin(), slots.end());
  EXPECT_EQ(allocate_many(pool, cache, 2 * capacity), slots);
}

TEST(SlotPool, GivesEachSlotZeroedMemoryOfItsOwn) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache cache;
  const char zero[64] = {};
  const std::vector<slot_index> slots = allocate_many(pool, cache, 200);
  for (slot_index each : slots) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.hot(each)) % 64, 0U);
    ASSERT_EQ(std::memcmp(pool.hot(each), zero, 64), 0) << each;
    ASSERT_EQ(std::memcmp(pool.cold(each), zero, 24), 0) << each;
    std::memset(pool.hot(each), static_cast<int>(each % 251 + 1), 64);
    std::memset(pool.cold(each), static_cast<int>(each % 241 + 2), 24);
  }
  for (slot_index each : slots) {
    EXPECT_EQ(static_cast<unsigned char*>(pool.hot(each))[63], each % 251 + 1);
    EXPECT_EQ(static_cast<unsigned char*>(pool.cold(each))[23], each % 241 + 2);
  }
}

TEST(SlotPool, MapsNothingWithinItsReserve) {
  counting_source pages;
  small_pool pool(pages, 500);
  ASSERT_TRUE(pool.ready());
  const long before = pages.calls();
  slot_cache cache;
  free_all(pool, cache, allocate_many(pool, cache, 500));
  EXPECT_EQ(pages.calls(), before);
  EXPECT_FALSE(pool.reserve(small_pool::slots_per_slab * testing::small_traits::max_slabs + 1));
}

TEST(SlotPool, SaysWhenItIsFull) {
  counting_source pages;
  slot_pool<two_slabs> pool(pages, 0);
  EXPECT_FALSE(pool.reserve(129));
  EXPECT_TRUE(pool.reserve(128));
  slot_cache cache;
  const std::vector<slot_index> slots = allocate_many(pool, cache, 128);
  EXPECT_EQ(std::count(slots.begin(), slots.end(), no_slot), 0);
  EXPECT_EQ(pool.allocate(cache), no_slot);
  pool.free(cache, slots[5]);
  EXPECT_EQ(pool.allocate(cache), slots[5]);
}

TEST(SlotPool, RecoversWhenRefusedMemoryCanBeHadAgain) {
  counting_source pages;
  for (long pieces = 0; pieces != 5; ++pieces) {
    EXPECT_EQ(pages.pieces(), 0U);
    small_pool pool(pages, 0);
    slot_cache cache;
    pages.allow(pieces);  // magazines for the cache, cold part, slab, magazines for the slab
    const bool served = pieces == 4;
    EXPECT_EQ(pool.allocate(cache) != no_slot, served) << pieces;
    EXPECT_EQ(pool.reserve(1), served);
    pages.allow(100);
    EXPECT_NE(pool.allocate(cache), no_slot);
  }
  pages.allow(0);
  small_pool without_directory(pages, 0);
  slot_cache cache;
  EXPECT_FALSE(without_directory.ready());
  EXPECT_EQ(without_directory.allocate(cache), no_slot);
}

// Far more caches than there are magazines for, and no memory for more. The map that they go to lies neither on what is
// written in the slots nor beyond the mapping, which has no room to spare if the cold array ends with a page.
TEST(SlotPool, LosesNoSlotWhenMagazinesAreRefused) {
  for (std::size_t cold_bytes : {std::size_t{24}, testing::page_bytes() / small_pool::slots_per_slab}) {
    counting_source pages;
    small_pool pool(pages, 0, cold_bytes);
    slot_cache owner;
    const std::vector<slot_index> slots = allocate_many(pool, owner, 2 * small_pool::slots_per_slab);
    const std::vector<char> written(cold_bytes, 'w');
    for (slot_index each : slots) std::memcpy(pool.cold(each), written.data(), cold_bytes);
    pages.allow(0);
    std::vector<slot_cache> others(slots.size());
    for (std::size_t i = 0; i != slots.size(); ++i) pool.free(others[i], slots[i]);
    EXPECT_TRUE(others.back().empty());  // it got no magazine
    for (slot_cache& each : others) pool.flush(each);
    EXPECT_EQ(sorted(allocate_many(pool, owner, slots.size())), sorted(slots));
    EXPECT_EQ(pool.allocate(owner), no_slot);
    for (slot_index each : slots) EXPECT_EQ(std::memcmp(pool.cold(each), written.data(), cold_bytes), 0) << each;
  }
}

// Fewer in each slab's part of the map than a magazine holds: the rest of the next does not go where there is no room.
TEST(SlotPool, TakesFromSeveralSlabsOfTheMapIntoOneMagazine) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache owner;
  std::vector<slot_index> slots = allocate_many(pool, owner, 2 * small_pool::slots_per_slab);
  pages.allow(0);
  std::vector<slot_cache> others(slots.size());
  std::size_t freed = 0;
  auto free_next = [&] {
    pool.free(others[freed], slots[freed]);
    return others[freed++].empty();
  };
  while (!free_next()) continue;
  ASSERT_LT(freed + 2, small_pool::slots_per_slab);  // now no magazine is left
  std::vector<slot_index> back{slots[freed - 1]};
  for (std::size_t each : {freed, freed + 1, slots.size() - 3, slots.size() - 2, slots.size() - 1}) {
    slot_cache none;
    pool.free(none, slots[each]);
    back.push_back(slots[each]);
  }
  pool.free(owner, pool.allocate(owner));
  for (std::size_t each = freed + 2; each != slots.size() - 3; ++each) {
    pool.free(owner, slots[each]);
    back.push_back(slots[each]);
  }
  for (slot_cache& each : others) pool.flush(each);
  back.insert(back.end(), slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(freed) - 1);
  EXPECT_EQ(sorted(allocate_many(pool, owner, back.size())), sorted(back));
  EXPECT_EQ(pool.allocate(owner), no_slot);
}

TEST(SlotPool, PassesOnWhatIsFlushed) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache here, there;
  const std::vector<slot_index> slots = allocate_many(pool, here, pool.first_carve + 9 * capacity);
  free_all(pool, there, slots);
  EXPECT_FALSE(there.empty());
  pool.flush(there);
  EXPECT_TRUE(there.empty());
  EXPECT_EQ(sorted(allocate_many(pool, here, slots.size())), sorted(slots));
}

TEST(SlotPool, NeedsFewMagazinesForManyCachesThatFreeASlotAndGo) {
  counting_source pages;
  small_pool pool(pages, 0);
  slot_cache owner;
  const std::vector<slot_index> slots = allocate_many(pool, owner, 20 * small_pool::slots_per_slab);
  const long before = pages.calls();
  for (slot_index each : slots) {
    slot_cache passing;
    pool.free(passing, each);
    pool.flush(passing);
  }
  EXPECT_EQ(pages.calls(), before);
}

TEST(SlotPool, DoesNotGrowWhenThreadsComeAndGo) {
  counting_source pages;
  small_pool pool(pages, 0);
  auto live = [&pool] {
    slot_cache cache;
    free_all(pool, cache, allocate_many(pool, cache, 10 * capacity + 3));
    pool.flush(cache);
  };
  live();
  const slot_index carved = pool.carved();
  const long calls = pages.calls();
  for (int i = 0; i != 200; ++i) std::thread(live).join();
  EXPECT_EQ(pool.carved(), carved);
  EXPECT_EQ(pages.calls(), calls);
}

TEST(SlotPool, ReleasesExactlyWhatItMapped) {
  counting_source pages;
  {
    small_pool pool(pages, 100);
    slot_cache cache;
    free_all(pool, cache, allocate_many(pool, cache, 1000));
  }
  EXPECT_EQ(pages.pieces(), 0U);
  EXPECT_EQ(pages.misreleased(), 0U);
}

TEST(SlotPool, LeavesNoMappingBehind) {
  auto once = [] {
    page_source pages({});
    slot_pool<> pool(pages, 1, 64);
    slot_cache cache;
    const slot_index slot = pool.allocate(cache);
    static_cast<char*>(pool.hot(slot))[0] = static_cast<char*>(pool.cold(slot))[0] = 1;
  };
  std::size_t before = 0, after = 1;  // a sanitizer's own come and go; what a pool leaves is more after each try
  for (int tries = 0; tries != 10 && after != before; ++tries, after = mappings()) {
    before = mappings();
    for (int i = 0; i != 98; ++i) once();
  }
  EXPECT_EQ(after, before);
}

TEST(SlotPool, CostsLessThanAByteBesidesALiveSlot) {
  constexpr std::size_t number = 1'000'000;
  counting_source pages;
  slot_pool<counted> pool(pages, 0, 64);
  slot_cache cache;
  for (std::size_t i = 0; i != number; ++i) ASSERT_NE(pool.allocate(cache), no_slot);
  // A page a slab; no slot was touched.
  EXPECT_LT(pages.resident(), number / 2 + number / pool.slots_per_slab * 4096);
}

// Every thread allocates, and frees what the one before it in the ring has allocated.
TEST(SlotPool, KeepsSlotsApartWhenAllocatedHereAndFreedThere) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t rounds = 20'000;
  counting_source pages;
  small_pool pool(pages, 0);
  std::vector<std::atomic<slot_index>> ring(threads * 16);
  for (auto& each : ring) each = no_slot;
  std::atomic<int> held_twice{0};
  auto work = [&](std::size_t self) {
    slot_cache cache;
    for (std::size_t round = 0; round != rounds; ++round) {
      const slot_index slot = pool.allocate(cache);
      auto* owner = static_cast<std::size_t*>(pool.hot(slot));
      if (*owner != 0) held_twice.fetch_add(1);  // plain memory: two holders are also a data race
      *owner = self + 1;
      const slot_index other = ring[(self + 1) % threads * 16 + round % 16].exchange(slot);
      if (other != no_slot) {
        *static_cast<std::size_t*>(pool.hot(other)) = 0;
        pool.free(cache, other);
      }
      const slot_index mine = ring[self * 16 + round * 7 % 16].exchange(no_slot);
      if (mine != no_slot) {
        *static_cast<std::size_t*>(pool.hot(mine)) = 0;
        pool.free(cache, mine);
      }
      if (round % 100 == self && pool.is_untidy()) pool.tidy([] { return false; });
      if (round % 1000 == self) pool.flush(cache);
    }
    pool.flush(cache);
  };
  detent::testing::on_threads(threads, work);
  EXPECT_EQ(held_twice.load(), 0);
  slot_cache cache;
  for (auto& each : ring) {
    if (each != no_slot) pool.free(cache, each);
  }
  const std::vector<slot_index> slots = sorted(allocate_many(pool, cache, pool.carved()));
  for (std::size_t i = 0; i != slots.size(); ++i) ASSERT_EQ(slots[i], i);  // none lost
}

}  // namespace
}  // namespace detent::alloc
