// SPDX-License-Identifier: MIT
#include "submission/submission_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

using kind = submission::kind;

TEST(Submission, GivesBackWhatWasPackedAtTheExtremes) {
  for (kind what : {kind::arm, kind::reap}) {
    for (std::uint32_t generation : {0U, 1U, state_word::generation_max}) {
      for (node_index index : {0U, 1U, 0x80000000U, no_node}) {
        std::uint64_t entry = submission::make(what, generation, index);
        EXPECT_EQ(submission::what(entry), what);
        EXPECT_EQ(submission::generation(entry), generation);
        EXPECT_EQ(submission::index(entry), index);
      }
    }
  }
}

// A producer that is enrolled, and pushes as the engine's callers do.
struct enrolled {
  explicit enrolled(submission_queue& of) : queue(of) {
    if (!queue.enrol(mine)) ADD_FAILURE() << "no memory";
  }
  enrolled(const enrolled&) = delete;
  enrolled& operator=(const enrolled&) = delete;
  ~enrolled() { queue.retire(mine); }
  void push(std::uint64_t entry) {
    if (!queue.push(mine, entry)) ADD_FAILURE() << "no memory";
    base::full_fence();
    if (queue.mark_if_needed(mine)) base::full_fence();
  }
  submission_queue& queue;
  producer mine;
};

// As the driver does: what was idle is forgotten, with its fence.
void forget_idle(submission_queue& queue) {
  queue.forget_idle();
  base::full_fence();
}

TEST(SubmissionQueue, GivesOneProducersEntriesInOrder) {
  submission_queue queue(16);
  enrolled mine(queue);
  std::vector<std::uint64_t> pushed(5'000), taken(6'000);
  std::iota(pushed.begin(), pushed.end(), 7U);
  for (std::uint64_t each : pushed) mine.push(each);
  EXPECT_EQ(queue.size(), pushed.size());
  EXPECT_EQ(mine.mine.size_approx(), pushed.size());
  std::size_t count = 0;
  for (std::size_t room : {1U, 255U, 256U, 10'000U})
    count += queue.take(taken.data() + count, std::min(room, taken.size() - count));
  taken.resize(count);
  EXPECT_EQ(taken, pushed);
  EXPECT_EQ(queue.size(), 0U);
}

// Fewer than asked must mean that nothing more was there: the driver goes to sleep on it.
TEST(SubmissionQueue, TakesFromAllProducersBeforeItReturnsLessThanAsked) {
  constexpr std::size_t producers = 150;  // more than a group of marks
  submission_queue queue(16);
  std::deque<enrolled> all;
  while (all.size() != producers) all.emplace_back(queue);
  for (std::uint64_t round = 0; round < 100; ++round) {
    for (auto& each : all) {
      for (std::uint64_t i = 0; i <= round % 3; ++i) each.push(round);
    }
    if (round % 2 == 1) forget_idle(queue);
    std::array<std::uint64_t, 512> out{};
    EXPECT_EQ(queue.take(out.data(), out.size()), producers * (round % 3 + 1));
    EXPECT_EQ(queue.size(), 0U);
    if (round % 4 == 3) forget_idle(queue);
  }
}

// A flood of one producer comes in batches, between which the others have their turn.
TEST(SubmissionQueue, TakesFromTheOthersBeforeItGoesOnWithAFlood) {
  submission_queue queue(16);
  enrolled flood(queue), other(queue);
  for (std::uint64_t i = 0; i != 100; ++i) flood.push(i);
  other.push(1'000);
  std::array<std::uint64_t, 10> out{};
  ASSERT_EQ(queue.take(out.data(), out.size()), out.size());
  ASSERT_EQ(queue.take(out.data(), out.size()), out.size());
  EXPECT_EQ(out[0], 1'000U);
  EXPECT_EQ(out[1], 10U);
}

// A thousand threads that called once cost a look nothing: their producers are not visited any more.
TEST(SubmissionQueue, VisitsNoProducerThatHasBeenIdle) {
  submission_queue queue(0);
  std::deque<enrolled> all;
  while (all.size() != 100) all.emplace_back(queue).push(1);
  std::array<std::uint64_t, 128> out{};
  EXPECT_EQ(queue.take(out.data(), out.size()), all.size());
  EXPECT_FALSE(queue.is_forgetting_due(true));
  for (int i = 0; i != 20 && !queue.is_forgetting_due(true); ++i) EXPECT_EQ(queue.size(), 0U);
  EXPECT_TRUE(queue.is_forgetting_due(true));
  forget_idle(queue);  // those that were busy since the call before, which there was none of, stay once
  forget_idle(queue);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_TRUE(queue.is_forgetting_due(false));
  forget_idle(queue);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.is_forgetting_due(false));
  all[70].push(2);
  EXPECT_EQ(queue.size(), 1U);
}

// Threads that come and go leave what the driver has not taken yet, and no memory.
TEST(SubmissionQueue, GoesOnWithTheProducerOfAThreadThatHasEnded) {
  submission_queue queue(0);
  enrolled mine(queue);
  std::array<std::uint64_t, 64> out{};
  for (std::uint64_t life = 0; life != 300; ++life) {
    for (std::uint64_t i = 0; i != life % 65; ++i) mine.push(life << 32 | i);
    const bool drains = life % 3 != 0;
    if (drains) queue.take(out.data(), out.size());
    queue.leave(mine.mine);
    mine.push(life);
    std::uint64_t last = 0;
    for (std::size_t count = 1; count != 0;) {
      count = queue.take(out.data(), out.size());
      if (count != 0) last = out[count - 1];
    }
    ASSERT_EQ(last, life);
  }
}

// By the thousand and from the middle of a block, beside single ones.
TEST(SubmissionQueue, GivesManyAtOnceInOrder) {
  submission_queue queue(0);
  enrolled mine(queue);
  std::vector<std::uint64_t> all(5'000);
  std::iota(all.begin(), all.end(), 0U);
  std::size_t pushed = 0;
  for (std::size_t count : {1U, 63U, 64U, 65U, 1'000U, 7U, 3'000U, 800U}) {
    ASSERT_TRUE(queue.push_many(mine.mine, all.data() + pushed, count));
    pushed += count;
  }
  ASSERT_EQ(pushed, all.size());
  if (queue.mark_if_needed(mine.mine)) base::full_fence();
  std::vector<std::uint64_t> taken(all.size() + 1);
  taken.resize(queue.take(taken.data(), taken.size()));
  EXPECT_EQ(taken, all);
}

// A thread that ends while much of its waits: the driver finds all of it, and so does the next thread's.
TEST(SubmissionQueue, GivesWhatAThreadHasLeftAlsoWhereAnotherGoesOn) {
  submission_queue queue(0);
  enrolled mine(queue);
  std::vector<std::uint64_t> taken(3'000);
  for (const bool goes_on : {false, true, false}) {
    for (std::uint64_t i = 0; i != 1'000; ++i) mine.push(i);
    queue.leave(mine.mine);
    std::size_t count = queue.take(taken.data(), 500);
    if (goes_on) mine.push(1'000);
    count += queue.take(taken.data() + count, taken.size() - count);
    ASSERT_EQ(count, goes_on ? 1'001U : 1'000U);
    for (std::uint64_t i = 0; i != count; ++i) ASSERT_EQ(taken[i], i);
    if (goes_on) queue.leave(mine.mine);
  }
}

TEST(SubmissionQueue, LosesAndDoublesNothingBetweenThreads) {
  constexpr std::uint64_t each = 50'000, threads = 3;
  submission_queue queue(1'000);
  std::deque<enrolled> all;
  while (all.size() != threads) all.emplace_back(queue);
  std::vector<std::thread> producers;
  for (std::uint64_t self = 0; self < threads; ++self) {
    producers.emplace_back([&all, self] {
      for (std::uint64_t i = 0; i < each; ++i) all[self].push(self << 32 | i);
    });
  }
  std::array<std::uint64_t, threads> next{};
  std::array<std::uint64_t, 256> batch{};
  for (std::uint64_t taken = 0; taken < threads * each;) {
    std::size_t count = queue.take(batch.data(), batch.size());
    taken += count;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(batch[i] & 0xffffffff, next[batch[i] >> 32]++);
    if (count != 0) continue;
    forget_idle(queue);
    std::this_thread::yield();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
}  // namespace detent::detail
