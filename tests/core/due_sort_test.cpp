// SPDX-License-Identifier: MIT
#include "due_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace detent::detail {
namespace {

// Whatever way is taken, for few or many, near or far apart, the result is that of a plain sort.
TEST(DueSort, IsByDeadlineAndOrderForAnySizeAndSpan) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t size : {0UL, 1UL, 2UL, 255UL, 256UL, 1'000UL, 20'000UL}) {
    for (unsigned deadline_bits : {0U, 1U, 20U, 45U, 64U}) {
      std::vector<due_entry> batch, scratch;
      for (std::size_t i = 0; i < size; ++i) {
        std::uint64_t far = deadline_bits == 0 ? 0 : random() >> (64 - deadline_bits);
        // Below half the circle of orders, so that none has wrapped.
        batch.push_back({.deadline = static_cast<nanoseconds_t>(far),
                         .order = static_cast<std::uint32_t>(random() >> 40),
                         .index = static_cast<node_index>(i)});
      }
      std::vector<due_entry> expected = batch;
      auto key = [](const due_entry& each) { return std::tuple(each.deadline, each.order, each.index); };
      std::sort(expected.begin(), expected.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
      sort_due(batch, scratch);
      ASSERT_EQ(batch.size(), expected.size());
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(batch[i].deadline, expected[i].deadline);
        EXPECT_EQ(batch[i].order, expected[i].order);
      }
    }
  }
}

// 256 deadlines are one digit, so that each entry moves once.
TEST(DueSort, CallsBackEveryFewThousandEntriesAndNotAtTheEnd) {
  for (auto [size, expected] : {std::pair{4'096UL, 0}, {4'097UL, 1}, {8'192UL, 1}, {10'000UL, 2}}) {
    std::vector<due_entry> batch(size), scratch;
    for (std::size_t i = 0; i < size; ++i) batch[i].deadline = static_cast<nanoseconds_t>(i * 7 % 256);
    int calls = 0;
    sort_due(batch, scratch, {[](void* counted) noexcept { ++*static_cast<int*>(counted); }, &calls});
    EXPECT_EQ(calls, expected) << size;
  }
}

}  // namespace
}  // namespace detent::detail
