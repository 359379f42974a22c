// SPDX-License-Identifier: MIT
#include "submission/submission_queue.hpp"

#include <gtest/gtest.h>

#include <array>
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

TEST(SubmissionQueue, GivesOneProducersEntriesInOrder) {
  submission_queue queue(16);
  auto mine = queue.make_producer();
  ASSERT_TRUE(mine.valid());
  std::vector<std::uint64_t> pushed(5'000), taken(6'000);
  std::iota(pushed.begin(), pushed.end(), 7U);
  for (std::uint64_t each : pushed) ASSERT_TRUE(queue.push(mine, each));
  EXPECT_EQ(queue.size_approx(), pushed.size());
  std::size_t count = 0;
  for (std::size_t room : {1U, 255U, 256U, 10'000U})
    count += queue.take(taken.data() + count, std::min(room, taken.size() - count));
  taken.resize(count);
  EXPECT_EQ(taken, pushed);
  EXPECT_EQ(queue.size_approx(), 0U);
}

// Fewer than asked must mean that nothing more was there: the driver goes to sleep on it.
TEST(SubmissionQueue, TakesFromAllProducersBeforeItReturnsLessThanAsked) {
  submission_queue queue(16);
  std::vector<submission_queue::producer> producers;
  for (int i = 0; i < 5; ++i) producers.push_back(queue.make_producer());
  for (std::uint64_t round = 0; round < 100; ++round) {
    for (auto& each : producers) {
      for (std::uint64_t i = 0; i <= round % 3; ++i) queue.push(each, round);
    }
    std::array<std::uint64_t, 64> out{};
    EXPECT_EQ(queue.take(out.data(), out.size()), 5 * (round % 3 + 1));
    EXPECT_EQ(queue.size_approx(), 0U);
  }
}

TEST(SubmissionQueue, LosesAndDoublesNothingBetweenThreads) {
  constexpr std::uint64_t each = 50'000, threads = 3;
  submission_queue queue(1'000);
  std::vector<std::thread> producers;
  for (std::uint64_t self = 0; self < threads; ++self) {
    producers.emplace_back([&queue, self] {
      auto mine = queue.make_producer();
      for (std::uint64_t i = 0; i < each; ++i) queue.push(mine, self << 32 | i);
    });
  }
  std::array<std::uint64_t, threads> next{};
  std::array<std::uint64_t, 256> batch{};
  for (std::uint64_t taken = 0; taken < threads * each;) {
    std::size_t count = queue.take(batch.data(), batch.size());
    taken += count;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(batch[i] & 0xffffffff, next[batch[i] >> 32]++);
    if (count == 0) std::this_thread::yield();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(queue.size_approx(), 0U);
}

}  // namespace
}  // namespace detent::detail
