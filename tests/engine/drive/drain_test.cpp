// SPDX-License-Identifier: MIT
// What the driver has taken out of the queue and not yet inserted, and what it leaves in the queue on purpose: neither
// may be forgotten, nor overtake.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "support/drive_asleep.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::eventually;

// A callable that owns something, and does something when it is moved out of its node.
struct stops_where_it_is_moved {
  std::function<void()>* then;
  std::unique_ptr<int> owned;
  explicit stops_where_it_is_moved(std::function<void()>& what) : then(&what) {}
  stops_where_it_is_moved(stops_where_it_is_moved&& other) noexcept : then(other.then), owned(std::move(other.owned)) {
    if (*then) std::exchange(*then, nullptr)();
  }
  void operator()() const {}
};

// An engine whose driver has taken out all of a hundred entries and inserted 64: asked for its descriptor, it stops
// there because something is due.
class EngineDrain : public drive::in_virtual_time {
 protected:
  static constexpr int submitted = 100;
  EngineDrain() {
    clock_.advance_to(at(1000));
    for (int id = 0; id < submitted; ++id) engine_.schedule_at(at(500), rig_.note(id));
    static_cast<void>(engine_.wake_fd());
  }
};

TEST_F(EngineDrain, GoesOnWithWhatItHadTakenOutBefore) {
  EXPECT_EQ(engine_.poll(), static_cast<std::size_t>(submitted));
  ASSERT_EQ(fired_.size(), static_cast<std::size_t>(submitted));
  for (int id = 0; id < submitted; ++id) EXPECT_EQ(fired_[static_cast<std::size_t>(id)], id);
}

TEST_F(EngineDrain, AcceptsWhatCameAfterItHadTakenOutAllThereWas) {
  engine_.schedule_at(at(100), rig_.note(submitted));
  EXPECT_EQ(engine_.poll(1), 1u);
  EXPECT_EQ(fired_, drive::ids{submitted}) << "something later fired first";
}

class EngineDrainWhole : public drive::in_virtual_time {};

TEST_F(EngineDrainWhole, AcceptsEverythingBeforeItFiresTheFirst) {
  constexpr int submitted = 2000;  // more than the driver takes out at a time, the earliest last
  for (int id = 0; id < submitted; ++id) engine_.schedule_at(at(submitted - id), rig_.note(id));
  EXPECT_EQ(rig_.poll_at(at(submitted), 1), 1u);
  EXPECT_EQ(fired_, drive::ids{submitted - 1});
}

// Rung for something ahead, the worker leaves a long queue alone; it must come back for what it was rung for.
TEST(EngineDrainLater, ComesBackForWhatItWasRungForAfterALongQueue) {
  engine worker({.wait = wait_options::sleep(), .name = "sleeps"});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (int i = 0; i < 6000; ++i) worker.schedule_after(2h, [] {});
  std::atomic<bool> fired{false};
  worker.schedule_after(200ms, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

// Fewer entries than a thread announces at a time, from each of many: they must not pile up unannounced.
TEST(EngineDrainLater, AcceptsWhatManyShortThreadsLeft) {
  engine worker({.wait = wait_options::sleep(), .name = "sleeps"});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      for (int each = 0; each < 60; ++each) worker.schedule_after(2h, [] {});
    }).join();
  }
  EXPECT_TRUE(eventually([&] { return worker.metrics().drained >= 4000; }));
}

// Rung for two things ahead while callbacks run, it comes back for the earlier one.
TEST(EngineDrainLater, ComesBackForTheEarlierOfTwoThatItWasRungFor) {
  engine worker({.wait = wait_options::sleep(), .name = "sleeps"});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  std::atomic<int> begun{0}, may_end{0};
  auto waits = [&](std::size_t) {
    const int turn = ++begun;
    while (may_end.load() < turn) std::this_thread::yield();
  };
  const std::array<time_point, 2> both{clock::now(), clock::now()};
  std::array<timer, 2> handles;
  ASSERT_EQ(worker.schedule_at_bulk(both, waits, handles), both.size());
  ASSERT_TRUE(eventually([&] { return begun == 1; }));
  for (int i = 0; i < 7000; ++i) worker.schedule_after(2h, [] {});
  std::atomic<bool> fired{false};
  worker.schedule_after(100ms, [&] { fired = true; });
  may_end = 1;
  ASSERT_TRUE(eventually([&] { return begun == 2; }));
  worker.schedule_after(1h - 1min, [] {});
  may_end = 2;
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

// A timer is cancelled by another thread, whose notice reaches the worker when the node is another timer's already, and
// that is being cancelled as well.
TEST(EngineDrainLater, TakesANoticeOfOneGenerationOfANodeForThatOne) {
  engine worker;
  const time_point due = clock::now() + 20ms;
  timer first, second;
  std::atomic<bool> begun{false}, moving{false}, drained{false};
  std::thread canceller;
  std::function<void()> then;
  worker.schedule_at(due, [&] {
    while (!begun.load()) std::this_thread::yield();
    std::thread([&] { first.cancel(); }).join();
  });
  first = worker.schedule_at(due, [] {});
  worker.schedule_at(due, [&] {
    second = worker.schedule_after(1h, stops_where_it_is_moved(then));
    then = [&] {
      moving = true;
      while (!drained.load()) std::this_thread::yield();
    };
    canceller = std::thread([&] { second.cancel(); });
    while (!moving.load()) std::this_thread::yield();
  });
  begun = true;
  ASSERT_TRUE(eventually([&] { return moving.load(); }));
  std::atomic<bool> fired{false};
  worker.schedule_after(0ns, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
  drained = true;
  canceller.join();
  EXPECT_EQ(worker.metrics().cancelled, 2u);
}

// Nothing that one thread piles up is due before long: announced in many lots, it is accepted all the same.
TEST(EngineDrainLater, AcceptsWhatOneThreadPilesUp) {
  engine worker({.wait = wait_options::sleep(), .name = "sleeps"});
  worker.schedule_after(1h, [] {});
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  for (int i = 0; i < 600'000; ++i) worker.schedule_after(2h, [] {});
  EXPECT_TRUE(eventually([&] { return worker.metrics().drained >= 300'000; }));
}

}  // namespace
}  // namespace detent
