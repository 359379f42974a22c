// SPDX-License-Identifier: MIT
#include "../src/shard_map.hpp"
#include "platform/thread_setup.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

// A mask leaves two CPUs of 64 whose numbers are equal modulo any small power of two. No shard may be left without
// threads.
TEST(ShardMap, GoesByThePlaceOfACpuInTheMask) {
  for (const std::array<int, 2> mask : {std::array{0, 1}, std::array{0, 32}, std::array{16, 48}, std::array{62, 63}}) {
    for (std::size_t shards = 1; shards <= 64; ++shards) {
      const shard_map map(shards, mask, {});
      std::set<std::size_t> seen;
      for (std::size_t thread = 0; thread < 64; ++thread) {
        for (const int cpu : mask) seen.insert(map.of_cpu(cpu, thread));
      }
      EXPECT_EQ(seen.size(), shards) << mask[0] << " and " << mask[1];
      EXPECT_LT(*seen.rbegin(), shards);
    }
  }
}

TEST(ShardMap, GivesNeighboursOneShardAndEachTheSameNumber) {
  std::vector<int> cpus(64);
  for (int i = 0; i < 64; ++i) cpus[static_cast<std::size_t>(i)] = 2 * i;
  const shard_map map(8, cpus, {});
  for (int i = 0; i < 64; ++i) EXPECT_EQ(map.of_cpu(2 * i, 5), static_cast<std::size_t>(i / 8));
}

TEST(ShardMap, KnowsNoBetterOfACpuOutsideTheMaskThanItsNumber) {
  const shard_map map(4, std::array{3}, {});
  for (const int cpu : {0, 1, 2, 4, 63, 4'000}) EXPECT_EQ(map.of_cpu(cpu, 9), static_cast<std::size_t>(cpu) % 4);
  EXPECT_LT(map.of_cpu(-1, 0), 4u);
  EXPECT_LT(shard_map(4, {}, {}).of_cpu(5, 0), 4u);
}

TEST(ShardMap, GivesTheCpuOfAWorkerItsShard) {
  const shard_map map(2, std::array{0, 1, 2, 3}, std::array{3, 0});
  EXPECT_EQ(map.of_cpu(3, 0), 0u);
  EXPECT_EQ(map.of_cpu(0, 0), 1u);
  EXPECT_EQ(map.of_cpu(1, 0), 0u);
  EXPECT_EQ(map.of_cpu(2, 0), 1u);
}

std::shared_ptr<const shard_map> map_of(std::size_t shards) {
  return std::make_shared<const shard_map>(shards, std::array{0}, std::vector<int>());
}

// It is made before its thread is bound, so it is destroyed after everything that the binding may need.
struct last_word {
  std::shared_ptr<const shard_map> map, other;
  std::vector<std::size_t>* found = nullptr;
  ~last_word() {
    if (found == nullptr) return;
    found->push_back(local_shard(*map));
    bind_this_thread(map, 2);
    bind_this_thread(other, 1);
    found->push_back(local_shard(*map));
    found->push_back(local_shard(*other));
  }
};

TEST(ShardMap, KnowsTheBindingsOfAThreadWhoseObjectsAreBeingDestroyed) {
  std::vector<std::size_t> found;
  std::thread([&] {
    thread_local last_word word;
    word.map = map_of(4);
    word.other = map_of(4);
    word.found = &found;
    bind_this_thread(word.map, 3);
  }).join();
  EXPECT_EQ(found, (std::vector<std::size_t>{3, 2, 1}));
}

// The main thread's thread-local objects are gone before the first static one is destroyed.
TEST(ShardMapDeathTest, KnowsTheBindingsOfTheMainThreadWhileItExits) {
  static const std::shared_ptr<const shard_map> map = map_of(4);
  const auto exit_bound = [] {
    static std::vector<std::vector<char>> garbage;
    bind_this_thread(map, 3);
    std::atexit([] {
      for (int i = 0; i < 64; ++i) garbage.emplace_back(32, 'Z');  // freed memory may belong to another object
      if (local_shard(*map) != 3) std::_Exit(1);
      for (int i = 0; i < 3; ++i) bind_this_thread(map, 2);
      std::_Exit(local_shard(*map) == 2 ? 0 : 1);
    });
    std::exit(2);
  };
  EXPECT_EXIT(exit_bound(), testing::ExitedWithCode(0), "");
}

TEST(ShardMap, FindsTheCpusOfThisProcess) { EXPECT_FALSE(usable_cpus().empty()); }

}  // namespace
}  // namespace detent::detail
