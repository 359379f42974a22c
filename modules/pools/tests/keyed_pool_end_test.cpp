// SPDX-License-Identifier: MIT
// A keyed pool that is destroyed while work waits in it.
#include <detent/keyed_pool.hpp>

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/drive_stuck.hpp"
#include "support/drive_virtual.hpp"
#include "support/platform/asleep.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::stuck_callback;

// A pool that ends before its engine does.
struct borrowed final : executor {
  std::unique_ptr<keyed_pool> pool = std::make_unique<keyed_pool>();
  bool execute(fired_timer&& work) noexcept override { return pool->execute(std::move(work)); }
};

// With one callback running, two of the same key that its thread has taken with it, and two of another key.
class KeyedPoolEnd : public ::testing::Test {
 protected:
  void schedule(std::uint64_t key, int count) {
    for (int i = 0; i < count; ++i) rig_.engine.schedule_after(0ns, [] { ADD_FAILURE() << "it ran"; }, {.tag = key});
    rig_.engine.poll();
  }
  template <class F>
  void run_before_others(F last) {
    {
      stuck_callback first(rig_.engine, 1);
      rig_.engine.poll();
      ASSERT_TRUE(first.wait_until_it_runs());
      rig_.engine.schedule_after(0ns,
                                 [this, last] {
                                   runs_ = true;
                                   EXPECT_TRUE(eventually([&] { return ready_.load(); }));
                                   last();
                                   ended_ = true;
                                 },
                                 {.tag = 1});
      schedule(1, 2);
    }
    ASSERT_TRUE(eventually([&] { return runs_.load(); }));
    schedule(2, 2);
  }
  void expect_four_dropped() {
    EXPECT_EQ(rig_.engine.metrics().dropped, 4u);
    EXPECT_EQ(rig_.engine.metrics().queued, 0u);
    EXPECT_EQ(rig_.engine.pending(), 0u);
  }

  std::shared_ptr<borrowed> owner_ = std::make_shared<borrowed>();
  std::atomic<bool> runs_{false}, ready_{false}, ended_{false};
  drive::virtual_engine rig_{{.executor = owner_}};
};

TEST_F(KeyedPoolEnd, WaitsForWhatRunsAndDropsWhatWaits) {
  drive::sleeper ends;
  run_before_others([&] { EXPECT_TRUE(ends.sleeps()); });
  ends.lies_down();
  ready_ = true;
  owner_->pool.reset();
  EXPECT_TRUE(ended_);
  expect_four_dropped();
}

TEST_F(KeyedPoolEnd, DropsWhatWaitsWhileTheCallbackThatEndedItGoesOn) {
  const std::size_t threads_before = drive::threads() - 1;
  run_before_others([&] {
    owner_->pool.reset();
    expect_four_dropped();
  });
  ready_ = true;
  EXPECT_TRUE(eventually([&] { return ended_ && drive::threads() <= threads_before; }));
}

TEST(KeyedPool, MayBeDestroyedWithItsEngineByACallback) {
  const std::size_t threads_before = drive::threads();
  auto captured = std::make_shared<int>();
  std::atomic<bool> scheduled{false}, destroyed{false};
  auto owned = std::make_unique<engine>(
      engine_options{.executor = std::make_shared<keyed_pool>(keyed_pool_options{.threads = 2})});
  engine& e = *owned;
  const time_point due = clock::now() + 5ms;
  e.schedule_at(due, [&, captured] {
    while (!scheduled) std::this_thread::yield();
    owned.reset();
    destroyed = true;
  });
  for (std::uint64_t i = 0; i < 20; ++i) e.schedule_at(due, [captured] {}, {.tag = i / 10});
  scheduled = true;
  EXPECT_TRUE(eventually([&] { return destroyed.load() && drive::threads() <= threads_before; }));
  EXPECT_TRUE(eventually([&] { return captured.use_count() == 1; }));
}

}  // namespace
}  // namespace detent
