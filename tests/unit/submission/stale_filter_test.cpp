// SPDX-License-Identifier: MIT
#include "submission/stale_filter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace detent::detail {
namespace {

std::uint64_t entry(node_index index, std::uint32_t generation, submission::kind what = submission::kind::arm) {
  return submission::make(what, generation, index);
}

std::vector<std::uint64_t> fresh(stale_filter& filter, std::vector<std::uint64_t> entries) {
  std::size_t first = filter.keep_fresh(entries.data(), entries.size());
  return {entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end()};
}

TEST(StaleFilter, DropsWhatALaterGenerationHasOvertaken) {
  stale_filter filter;
  EXPECT_EQ(fresh(filter, {entry(7, 1), entry(7, 2), entry(8, 1), entry(7, 3)}),
            (std::vector{entry(8, 1), entry(7, 3)}));
}

TEST(StaleFilter, KeepsAllOfOneGenerationInTheirOrder) {
  stale_filter filter;
  const std::vector all{entry(7, 2), entry(9, 1), entry(7, 2), entry(7, 2, submission::kind::reap)};
  EXPECT_EQ(fresh(filter, all), all);
}

TEST(StaleFilter, RemembersFromBatchToBatch) {
  stale_filter filter;
  EXPECT_EQ(fresh(filter, {entry(7, 5)}), std::vector{entry(7, 5)});
  EXPECT_TRUE(fresh(filter, {entry(7, 4)}).empty());
  EXPECT_EQ(fresh(filter, {entry(7, 5), entry(7, 6)}), std::vector{entry(7, 6)});
}

// Two nodes that share a place of its memory must not be taken for each other.
TEST(StaleFilter, NeverDropsForTheSakeOfAnotherNode) {
  stale_filter filter;
  for (node_index other = 0; other < 100'000; other += 512)
    EXPECT_EQ(fresh(filter, {entry(other, 1)}), std::vector{entry(other, 1)});
  const std::vector apart{entry(1, 1), entry(1 + 2048, 9), entry(1 + 4096, 3)};
  EXPECT_EQ(fresh(filter, apart), apart);
}

}  // namespace
}  // namespace detent::detail
