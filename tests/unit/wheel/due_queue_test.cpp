// SPDX-License-Identifier: MIT
#include "wheel/due_queue.hpp"

#include "support/random_source.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace detent::detail {
namespace {

constexpr std::uint32_t circle = 1U << state_word::order_bits;

due_entry entry(nanoseconds_t deadline, std::uint32_t order, node_index index = 0) {
  return {.deadline = deadline, .order = order & state_word::order_mask, .index = index};
}

std::vector<node_index> pop_all(due_queue& queue) {
  std::vector<node_index> popped;
  for (std::size_t left = queue.size(); !queue.empty(); queue.pop(), --left) {
    EXPECT_EQ(queue.size(), left);
    popped.push_back(queue.front().index);
  }
  EXPECT_EQ(queue.size(), 0U);
  return popped;
}

std::vector<node_index> counted_up_to(std::size_t size) {
  std::vector<node_index> numbers;
  for (std::size_t i = 0; i < size; ++i) numbers.push_back(static_cast<node_index>(i));
  return numbers;
}

TEST(DueQueue, KeepsOneThreadsEqualDeadlinesInOrderWhereverItsCountWraps) {
  for (std::uint32_t first : {0U, circle - 1, circle - 5, circle - 50, circle / 2 - 5, circle / 2 + 5}) {
    SCOPED_TRACE(first);
    for (std::uint32_t step : {1U, 1'000U, (circle / 2 - 1) / 9}) {
      due_queue reversed, shuffled, late;
      test::random_source random(first);
      std::vector<due_entry> run;
      for (std::uint32_t i = 0; i < 10; ++i) run.push_back(entry(5, first + i * step, i));
      for (auto each = run.rbegin(); each != run.rend(); ++each) reversed.collect(*each);
      std::shuffle(run.begin(), run.end(), random.engine());
      for (auto& each : run) {
        shuffled.collect(each);
        late.insert(each);
      }
      reversed.seal();
      shuffled.seal();
      EXPECT_EQ(pop_all(reversed), counted_up_to(10));
      EXPECT_EQ(pop_all(shuffled), counted_up_to(10));
      EXPECT_EQ(pop_all(late), counted_up_to(10));
    }
  }
}

TEST(DueQueue, PutsWhatComesWhileItFiresInItsPlace) {
  due_queue queue;
  for (node_index index : {0U, 2U, 4U}) queue.collect(entry(10 + index, index, index));
  queue.seal();
  queue.pop();
  EXPECT_TRUE(queue.insert(entry(13, 0, 3)));
  EXPECT_TRUE(queue.insert(entry(15, 0, 5)));
  EXPECT_TRUE(queue.insert(entry(-1, 0, 1)));  // before all that waits, though it comes after what was fired
  EXPECT_EQ(pop_all(queue), (std::vector<node_index>{1, 2, 3, 4, 5}));
}

TEST(DueQueue, OrdersWhatIsLateAgainstTheBatchByArmingOrder) {
  due_queue queue;
  for (std::uint32_t order : {0U, 2U}) queue.collect(entry(10, order, order));
  queue.seal();
  queue.insert(entry(10, 3, 3));
  queue.insert(entry(10, 1, 1));
  EXPECT_EQ(pop_all(queue), counted_up_to(4));
}

TEST(DueQueue, MergesANewBatchWithWhatWasLeftOver) {
  due_queue queue;
  for (node_index index : {5U, 3U, 1U, 0U}) queue.collect(entry(10, index, index));
  queue.seal();
  queue.pop();
  for (node_index index : {6U, 4U, 2U}) queue.collect(entry(10, index, index));
  queue.seal();
  EXPECT_EQ(pop_all(queue), (std::vector<node_index>{1, 2, 3, 4, 5, 6}));
}

TEST(DueQueue, ReturnsTheEntrySomePlacesAheadInTheBatch) {
  due_queue queue;
  for (node_index index : {0U, 1U, 2U}) queue.collect(entry(10, index, index));
  queue.seal();
  ASSERT_NE(queue.ahead(2), nullptr);
  EXPECT_EQ(queue.ahead(2)->index, 2U);
  EXPECT_EQ(queue.ahead(3), nullptr);
  queue.pop();
  EXPECT_EQ(queue.ahead(1)->index, 2U);
  EXPECT_EQ(queue.ahead(2), nullptr);
}

// Batches, late ones and bounded polls as they come, against a sorted list.
TEST(DueQueue, FiresInTheOrderOfASortedListWhateverComesWhen) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::random_source random(seed);
    due_queue queue;
    std::vector<due_entry> waiting, collected;
    std::uint32_t order = circle - 300;
    auto precedes = [](const due_entry& a, const due_entry& b) {
      return a.deadline != b.deadline ? a.deadline < b.deadline : a.index < b.index;
    };
    for (node_index index = 0; index < 1'000;) {
      auto fresh = [&] { return entry(random.between(0, 20), order++, index++); };
      for (int count = random.between(0, 30); count != 0; --count) {
        collected.push_back(fresh());
        ASSERT_TRUE(queue.collect(collected.back()));
      }
      queue.seal();
      waiting.insert(waiting.end(), collected.begin(), collected.end());
      collected.clear();
      for (int count = random.between(0, 40); count != 0 && !waiting.empty(); --count) {
        auto first = std::min_element(waiting.begin(), waiting.end(), precedes);
        ASSERT_EQ(queue.front().index, first->index);
        waiting.erase(first);
        queue.pop();
        if (random.between(0, 3) == 0) {
          waiting.push_back(fresh());
          ASSERT_TRUE(queue.insert(waiting.back()));
        }
        ASSERT_EQ(queue.size(), waiting.size());
      }
    }
  }
}

// The room that is asked for is made a stretch at a time, and what is collected stays.
TEST(DueQueue, MakesRoomInStretches) {
  for (const bool beside_a_batch : {false, true}) {
    due_queue queue;
    node_index next = 0;
    if (beside_a_batch) {
      EXPECT_TRUE(queue.collect(entry(0, 0, next++)));
      queue.seal();
    }
    int most = 0;
    for (std::size_t i = 0; i < 200'000; ++i) {
      if (i % 256 == 0) {
        int calls = 0;
        queue.make_room(256, {[](void* counted) noexcept { ++*static_cast<int*>(counted); }, &calls});
        most = std::max(most, calls);
      }
      EXPECT_TRUE(queue.collect(entry(static_cast<nanoseconds_t>(next), 0, next)));
      ++next;
    }
    EXPECT_GE(most, 65'536 / 4'096 - 1);
    int calls = 0;
    queue.seal({[](void* counted) noexcept { ++*static_cast<int*>(counted); }, &calls});
    EXPECT_GE(calls, 200'000 / 4'096 - 1);
    EXPECT_EQ(pop_all(queue), counted_up_to(next));
  }
}

}  // namespace
}  // namespace detent::detail
