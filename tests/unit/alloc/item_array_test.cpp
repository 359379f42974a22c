// SPDX-License-Identifier: MIT
#include <detent/alloc/item_array.hpp>
#include <detent/alloc/page_source.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "support/joined_thread.hpp"

namespace detent::alloc {
namespace {

// Their size does not divide a page, and the last page is only partly theirs.
constexpr std::size_t item_bytes = 1088, count = 132;
using items = item_array<item_bytes>;

class pages {
 public:
  pages() : memory_(static_cast<std::byte*>(source_.allocate_sparse(bytes))) {}
  ~pages() { source_.release_sparse(memory_, bytes); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  items all() { return {in_use_.data(), memory_, count}; }
  std::byte* take() {
    std::size_t from = 0;
    return all().take(from);
  }
  // The kernel gets each piece only once, unless the piece was used in between.
  void put_back(std::byte* item) {
    all().put_back(all().number_of(item), [this](std::byte* at, std::size_t size) {
      EXPECT_EQ((at - memory_) % 4096, 0);
      EXPECT_LE(at + size, memory_ + count * item_bytes) << "what follows the items is not theirs";
      given_ += size;
      page_source::give_back(at, size);
    });
  }
  std::size_t given() const { return given_; }

 private:
  static constexpr std::size_t bytes = count * item_bytes + 64;
  page_source source_{{}};
  std::array<items::word, items::words_for(count)> in_use_{};
  std::byte* memory_;
  std::atomic<std::size_t> given_{0};
};

TEST(ItemArray, HandsOutEachItemOnce) {
  pages some;
  std::set<std::byte*> seen;
  while (std::byte* each = some.take()) EXPECT_TRUE(seen.insert(each).second);
  EXPECT_EQ(seen.size(), count);
  some.put_back(*seen.begin());
  EXPECT_EQ(some.take(), *seen.begin());
}

TEST(ItemArray, GivesBackEveryWholePageOfItems) {
  pages some;
  std::vector<std::byte*> taken;
  while (std::byte* each = some.take()) taken.push_back(each);
  for (std::byte* each : taken) *each = std::byte{1};
  for (std::byte* each : taken) some.put_back(each);
  EXPECT_EQ(some.given(), count * item_bytes / 4096 * 4096);
  EXPECT_EQ(*taken.front(), std::byte{0}) << "the kernel has the page";
}

TEST(ItemArray, KeepsThePagesOfAnItemInUse) {
  pages some;
  std::vector<std::byte*> taken;
  while (std::byte* each = some.take()) taken.push_back(each);
  for (std::byte* each : taken) *each = std::byte{1};
  for (std::size_t i = 0; i != taken.size(); ++i) {
    if (i % 8 != 0) some.put_back(taken[i]);
  }
  for (std::size_t i = 0; i < taken.size(); i += 8) EXPECT_EQ(*taken[i], std::byte{1}) << i;
}

TEST(ItemArray, NeverTakesAPageFromAThreadThatUsesAnItemOfIt) {
  pages some;
  std::atomic<int> lost{0};
  detent::testing::on_threads(std::size_t{4}, [&](std::size_t self) {
    const auto mark = static_cast<std::byte>(self + 1);
    for (int round = 0; round != 2'000; ++round) {
      std::array<std::byte*, 6> mine{};
      for (std::byte*& each : mine) {
        each = some.take();
        std::fill_n(each, item_bytes, mark);
      }
      for (std::byte* each : mine) {
        lost += static_cast<int>(item_bytes) != std::count(each, each + item_bytes, mark);
        some.put_back(each);
      }
    }
  });
  EXPECT_EQ(lost, 0);
  EXPECT_GT(some.given(), 0u);
}

}  // namespace
}  // namespace detent::alloc
