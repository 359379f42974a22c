// SPDX-License-Identifier: MIT
// A forked child owns no engine of its parent's; a process that exits waits for none.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>

#include "hostile/in_child.hpp"
#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/leaks_of_parent_only.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::problem_of;
using hostile::expect_in_child;

// The child's `call` is refused with the code for that.
void expect_forked(const std::function<void()>& call) {
  expect_in_child([&] { EXPECT_EQ(problem_of(call).code, errc::forked); });
}

// Another thread of the parent's may have been in the middle of any of them.
TEST(EngineFork, ChildIsRefusedWithACodeOfItsOwn) {
  engine e;
  timer_group before(e);
  timer made;
  const time_point due = clock::now();
  expect_forked([&] { e.schedule_after(0ns, [] {}); });
  expect_forked([&] { e.schedule_at_bulk({&due, 1}, [](std::size_t) {}, {&made, 1}); });
  expect_forked([&] { e.make_label("new"); });
  expect_forked([&] { timer_group next(e); });
  expect_forked([&] { e.stop(); });
}

TEST(EngineFork, ChildIsRefusedWithoutAnException) {
  engine e;
  expect_in_child([&] {
    EXPECT_FALSE(e.try_schedule_after(0ns, [] {}));
    EXPECT_FALSE(e.try_schedule_at(clock::now(), [] {}));
    EXPECT_FALSE(e.try_schedule_at_fixed_rate(0ns, 1ms, [] {}));
    EXPECT_FALSE(e.try_schedule_with_fixed_delay(0ns, 1ms, [] {}));
    failure refused;
    EXPECT_TRUE(e.try_stop(refused).empty());
    EXPECT_EQ(refused, errc::forked);
    EXPECT_EQ(e.worker_thread_id(), 0);
  });
}

TEST(EngineFork, ChildMayDestroyAnEngineOnAPool) {
  auto e = std::make_unique<engine>(
      engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  e->schedule_after(1h, [] {});
  expect_in_child([&] { e.reset(); });
}

// Its threads belong to the parent, and so does the work in its queue.
TEST(EngineFork, ChildMayDestroyAPoolWithWorkInItsQueue) {
  const auto captured = std::make_shared<int>();
  std::atomic<bool> inside{false}, end{false};
  std::optional<thread_pool> pool(std::in_place, thread_pool_options{.threads = 1});
  drive::virtual_engine rig({.executor = {std::shared_ptr<void>(), &*pool}});  // does not own it
  rig.engine.schedule_after(0ns, [&] {
    inside = true;
    end.wait(false);
  });
  rig.engine.schedule_after(0ns, [captured] {});
  rig.engine.poll();
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  expect_in_child([&] {
    pool.reset();
    EXPECT_EQ(captured.use_count(), 2);
  });
  end = true;
  end.notify_all();
  EXPECT_TRUE(eventually([&] { return captured.use_count() == 1; }));
}

// A fork goes through all engines there are. Freed memory is not as it was: none that has ended is among them.
TEST(EngineFork, FindsTheEnginesThatAreLeftInWhateverOrderOthersEnded) {
  mallopt(M_PERTURB, 0x5a);
  for (const auto& order : {std::array{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}) {
    std::array<std::optional<engine>, 3> engines;
    for (auto& each : engines) each.emplace(engine_options{.drive = drive_kind::caller});
    for (int each : order) engines[static_cast<std::size_t>(each)].reset();
    engine& left = *engines[static_cast<std::size_t>(3 - order[0] - order[1])];
    expect_forked([&] { left.schedule_after(0ns, [] {}); });
    EXPECT_TRUE(left.try_schedule_after(0ns, [] {}));
  }
  mallopt(M_PERTURB, 0);
}

TEST(EngineFork, ParentGoesOnAsBefore) {
  engine e;
  std::atomic<int> fired{0};
  e.schedule_after(30ms, [&] { ++fired; });
  expect_in_child([] {});
  e.schedule_after(0ns, [&] { ++fired; });
  EXPECT_TRUE(eventually([&] { return fired == 2 && e.metrics().expired == 2; }));  // counted after the callback
}

// In a program of their own each: exit() runs static destructors and must come to its end.
using EngineForkDeathTest = testing::Test;

void exit_with_global_engines() {
  static engine on_worker;
  static engine on_pool({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  static engine* const never_destroyed = new engine;
  for (engine* each : {&on_worker, &on_pool, never_destroyed}) {
    each->schedule_after(1h, [] {});
    each->schedule_at_fixed_rate(0ns, 10us, [] {});
  }
  std::exit(0);
}

TEST(EngineForkDeathTest, GlobalEngineWithPendingTimersLetsTheProcessExit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_global_engines(), testing::ExitedWithCode(0), "");
}

TEST(EngineFork, ChildThatDestroysTheEngineClosesItsDescriptor) {
  std::optional<engine> caller(std::in_place, engine_options{.drive = drive_kind::caller});
  const int fd = caller->wake_fd();
  expect_in_child([&] {
    caller.reset();
    EXPECT_EQ(fcntl(fd, F_GETFD), -1);
  });
}

}  // namespace
}  // namespace detent
