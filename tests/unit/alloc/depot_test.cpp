// SPDX-License-Identifier: MIT
#include <detent/alloc/depot.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "support/joined_thread.hpp"

namespace detent::alloc {
namespace {

struct filled {
  magazine head;
  std::array<slot_index, 4> slots{};
};

// Few magazines and many threads: heads go away and come back all the time, which is what the tag is for.
TEST(Depot, GivesEachMagazineToOneThreadAtATime) {
  constexpr std::size_t magazines = 3;
  constexpr int rounds = 50'000;
  depot stack;
  std::vector<std::unique_ptr<filled>> all;
  for (std::size_t i = 0; i != magazines; ++i) {
    all.push_back(std::make_unique<filled>());
    stack.push(all.back()->head);
  }
  std::atomic<int> shared{0};
  testing::on_threads(slot_index{4}, [&](slot_index self) {
    for (int round = 0; round != rounds; ++round) {
      magazine* first = stack.pop();
      magazine* second = stack.pop();
      for (magazine* each : {first, second}) {
        if (each == nullptr) continue;
        each->slots()[0] = self;  // plain memory: a second holder is also a data race, for the sanitizer to see
        each->count = self;
      }
      for (magazine* each : {first, second}) {
        if (each == nullptr) continue;
        if (each->slots()[0] != self || each->count != self) shared.fetch_add(1);
        stack.push(*each);
      }
    }
  });
  EXPECT_EQ(shared.load(), 0);
  std::set<magazine*> left;
  while (magazine* each = stack.pop()) ASSERT_TRUE(left.insert(each).second);
  EXPECT_EQ(left.size(), magazines);
}

}  // namespace
}  // namespace detent::alloc
