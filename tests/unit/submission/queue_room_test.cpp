// SPDX-License-Identifier: MIT
#include "submission/queue_room.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/joined_thread.hpp"

namespace detent::detail {
namespace {

constexpr std::size_t block = limits::entries_a_block * sizeof(std::uint64_t) + 40;  // as moodycamel asks for one
constexpr std::size_t blocks = 100;

std::set<void*> take_blocks(std::size_t count) {
  std::set<void*> taken;
  while (count-- != 0) {
    void* const each = queue_room::take(block);
    if (each == nullptr || !taken.insert(each).second) ADD_FAILURE() << "none, or one that is taken";
    std::memset(each, 0xab, block);
  }
  return taken;
}

// To the next thread: those that were ahead are not used up by threads that come and go.
TEST(QueueRoom, GivesTheSameBlocksAgain) {
  queue_room room(blocks * limits::entries_a_block);
  std::set<void*> first, again;
  testing::on_threads(std::size_t{1}, [&](std::size_t) {
    const queue_room::use inside(room);
    first = take_blocks(blocks);
    for (void* each : first) queue_room::give(each);
  });
  testing::on_threads(std::size_t{1}, [&](std::size_t) {
    const queue_room::use inside(room);
    again = take_blocks(blocks);
    for (void* each : again) queue_room::give(each);
  });
  EXPECT_EQ(first, again);
}

TEST(QueueRoom, GoesOnWithTheHeap) {
  for (const std::size_t entries : {std::size_t{0}, blocks * limits::entries_a_block}) {
    queue_room room(entries);
    const queue_room::use inside(room);
    std::set<void*> taken = take_blocks(2 * blocks);
    for (const std::size_t bytes : {8U, 100U, 1'000U, 100'000U}) {
      void* const each = queue_room::take(bytes);
      ASSERT_NE(each, nullptr);
      std::memset(each, 0xcd, bytes);
      taken.insert(each);
    }
    for (void* each : taken) queue_room::give(each);
  }
}

TEST(QueueRoom, OfTheInnermostUseIsTheOneThatServes) {
  queue_room outer(blocks * limits::entries_a_block), inner(0);
  const queue_room::use outside(outer);
  void* const first = queue_room::take(block);
  queue_room::give(first);
  {
    const queue_room::use inside(inner);
    void* const other = queue_room::take(block);
    EXPECT_NE(other, first);
    queue_room::give(other);
  }
  void* const again = queue_room::take(block);
  EXPECT_EQ(again, first);
  queue_room::give(again);
}

TEST(QueueRoom, ServesThreadsAtOnce) {
  queue_room room(blocks * limits::entries_a_block);
  testing::on_threads(std::size_t{3}, [&](std::size_t) {
    const queue_room::use inside(room);
    for (int i = 0; i != 200; ++i) {
      for (void* each : take_blocks(blocks / 2)) queue_room::give(each);
    }
  });
}

}  // namespace
}  // namespace detent::detail
