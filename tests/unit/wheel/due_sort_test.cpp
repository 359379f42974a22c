// SPDX-License-Identifier: MIT
#include "wheel/due_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
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

// However many times it goes over them, and whatever way it takes: orders that lie around the circle have their run
// turned round, and deadlines all over time need two keys.
TEST(DueSort, CallsBackEveryFewThousandEntriesOfEachWalk) {
  constexpr std::size_t walks = 4;  // the memory, the span, the digits, the runs
  for (const bool wraps : {false, true}) {
    for (const bool far : {false, true}) {
      for (const std::size_t size : {4'096UL, 10'000UL, 100'000UL}) {
        SCOPED_TRACE(size);
        std::vector<due_entry> batch(size), scratch;
        for (std::size_t i = 0; i < size; ++i) {
          batch[i].order = static_cast<std::uint32_t>(i * 1'001 % size);
          if (wraps && i % 2 != 0) batch[i].order += state_word::order_mask - static_cast<std::uint32_t>(size);
        }
        if (far) batch[0].deadline = INT64_MIN;
        int calls = 0;
        const interlude between{[](void* counted) noexcept { ++*static_cast<int*>(counted); }, &calls};
        sort_due(batch, scratch, between);
        const std::size_t digits = wraps ? 4 : size <= 65'536 ? 2 : 3;
        const std::size_t turned = wraps ? 2 : 0;  // the widest gap is searched for, and the run turned round
        EXPECT_GE(static_cast<std::size_t>(calls), (walks + digits + turned) * ((size - 1) / limits::stretch))
            << wraps << far;
        for (std::size_t i = 1; i < size; ++i) ASSERT_TRUE(fires_before(batch[i - 1], batch[i])) << i;
      }
    }
  }
}

}  // namespace
}  // namespace detent::detail
