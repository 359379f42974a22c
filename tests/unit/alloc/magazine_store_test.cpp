// SPDX-License-Identifier: MIT
#include <detent/alloc/magazine_store.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

#include "counting_source.hpp"
#include "support/joined_thread.hpp"

namespace detent::alloc {
namespace {

using testing::counting_source;
using store = magazine_store<testing::small_traits>;

TEST(MagazineStore, MapsAChunkForAsManyMagazinesAsItHolds) {
  counting_source pages;
  store magazines(pages);
  for (std::uint32_t i = 0; i != store::magazines_per_chunk; ++i) ASSERT_NE(magazines.take(), nullptr);
  EXPECT_EQ(pages.pieces(), 1U);
  ASSERT_NE(magazines.take(), nullptr);
  EXPECT_EQ(pages.pieces(), 2U);
}

TEST(MagazineStore, UsesUpEveryChunkThatWasMappedAhead) {
  counting_source pages;
  store magazines(pages);
  ASSERT_TRUE(magazines.grow());
  ASSERT_TRUE(magazines.grow());
  pages.allow(0);
  EXPECT_FALSE(magazines.grow());
  std::set<magazine*> taken;
  while (magazine* each = magazines.take()) ASSERT_TRUE(taken.insert(each).second);
  EXPECT_EQ(taken.size(), 2 * store::magazines_per_chunk);
}

TEST(MagazineStore, PrefersAMagazineThatWasGivenBack) {
  counting_source pages;
  store magazines(pages);
  magazine* first = magazines.take();
  magazines.take();
  magazines.give(*first);
  EXPECT_EQ(magazines.take(), first);
}

TEST(MagazineStore, HandsOutEachMagazineOnceToManyThreads) {
  counting_source pages;
  store magazines(pages);
  std::mutex mutex;
  std::set<magazine*> seen;
  detent::testing::on_threads(4, [&] {
    std::vector<magazine*> mine;
    for (int i = 0; i != 500; ++i) mine.push_back(magazines.take());
    std::lock_guard guard(mutex);
    seen.insert(mine.begin(), mine.end());
  });
  EXPECT_EQ(seen.size(), 2000U);
  EXPECT_EQ(seen.count(nullptr), 0U);
}

}  // namespace
}  // namespace detent::alloc
