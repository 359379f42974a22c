// SPDX-License-Identifier: MIT
// stop() of a set: each timer once, no callback afterwards, and no waiting in a circle.
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using testing::eventually;

sharded_options small(std::size_t shards) {
  return {.shards = shards,
          .each = {.wait = wait_options::sleep(), .reserve = 256, .memory = {.huge_pages = preference::off}}};
}

// Callbacks that keep timers going from shard to shard, until one is refused.
class relay {
 public:
  void start(std::size_t timers) {
    for (std::size_t i = 0; i < timers; ++i) pass_on(i);
  }
  sharded_engine& set() { return set_; }
  std::size_t taken() const { return taken_; }
  std::size_t ran() const { return ran_; }
  std::size_t refused() const { return refused_; }

 private:
  void pass_on(std::size_t from) {
    const std::size_t next = from + 1;
    const timer made = set_[next % set_.size()].try_schedule_after(0ms, [this, next] {
      ++ran_;
      pass_on(next);
    });
    if (made) {
      ++taken_;
    } else {
      EXPECT_EQ(made.error(), make_error_code(errc::stopped));
      ++refused_;
    }
  }

  std::atomic<std::size_t> taken_{0}, ran_{0}, refused_{0};
  sharded_engine set_{small(4)};
};

TEST(ShardedStop, ReturnsEachTimerOnceThoughCallbacksScheduleOnTheNextShard) {
  constexpr std::size_t timers = 32;
  test::random_source random(test::new_seed());
  std::size_t refused = 0, returned = 0;
  for (int round = 0; round < 250; ++round) {
    relay all;
    all.start(timers);
    std::this_thread::sleep_for(random.between(0, 200) * 1us);
    std::vector<unfired_timer> left[2];
    std::thread other([&] { left[1] = all.set().stop(); });
    left[0] = all.set().stop();
    const std::size_t ran = all.ran();
    other.join();
    EXPECT_TRUE(all.set().stopped());
    EXPECT_TRUE(left[0].empty() || left[1].empty()) << "the timers of one stop were divided";
    const std::size_t both = left[0].size() + left[1].size();
    EXPECT_EQ(all.taken(), all.ran() + both);
    EXPECT_EQ(all.refused() + both, timers);
    EXPECT_EQ(all.set().pending(), 0u);
    EXPECT_EQ(all.ran(), ran) << "a callback after stop() had returned";
    refused += all.refused();
    returned += both;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(returned, 0u);
}

// A callback of one shard waits until the others have been closed: stop() must not wait for it before.
TEST(ShardedStop, ClosesAllBeforeItWaitsForTheFirst) {
  sharded_engine set(small(3));
  std::atomic<bool> inside{false};
  std::size_t accepted = 0;
  set[0].schedule_after(0ms, [&] {
    inside = true;
    for (; set[2].try_schedule_after(1h, [] {}); ++accepted) std::this_thread::yield();
  });
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  const std::vector<unfired_timer> left = set.stop();
  EXPECT_EQ(left.size(), accepted);
  const engine_metrics end = set.metrics();
  EXPECT_EQ(end.pending, 0u);
  EXPECT_EQ(end.scheduled, end.expired + end.returned);
  EXPECT_LE(end.returned, accepted + 1) << "the refused one counts if the shard was closed after its push";
}

TEST(ShardedStop, RefusesACallbackAndChangesNothing) {
  sharded_engine set(small(2));
  std::atomic<bool> done{false};
  drive::problem thrown;
  failure problem;
  set[1].schedule_after(0ms, [&] {
    thrown = problem_of([&] { static_cast<void>(set.stop()); });
    static_cast<void>(set.try_stop(problem));
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(thrown.code, errc::called_from_callback);
  EXPECT_TRUE(thrown.names("stop(): called from a callback of one of its shards")) << thrown.what;
  EXPECT_EQ(problem, errc::called_from_callback);
  EXPECT_FALSE(set.stopped());
  EXPECT_TRUE(set[0].schedule_after(1h, [] {}));
  EXPECT_EQ(set.stop().size(), 1u);
}

// While the set dies, its callbacks look for shards, all of which are there until the last has ended.
TEST(ShardedStop, DestroyingTheSetStopsAllShardsFirst) {
  for (int round = 0; round < 50; ++round) {
    auto all = std::make_unique<relay>();
    all->start(8);
    std::this_thread::sleep_for(100us);
    all.reset();
  }
}

}  // namespace
}  // namespace detent
