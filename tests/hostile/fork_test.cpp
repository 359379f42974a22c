// SPDX-License-Identifier: MIT
// A child forked at the worst of moments: nothing in it waits for threads that only the parent has.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"
#include "support/leaks_of_parent_only.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::problem_of;
using hostile::expect_in_child;
using hostile::in_child;

// An engine whose worker is inside the callback of a periodic timer, and stays there until this ends.
struct engine_inside_a_callback {
  engine_inside_a_callback() {
    inside_it = e.schedule_at_fixed_rate(0ns, 1h, [this] {
      inside = true;
      end.wait(false);
    });
    later = e.schedule_after(1h, [] {});
    EXPECT_TRUE(eventually([this] { return inside.load(); }));
  }
  ~engine_inside_a_callback() {
    end = true;
    end.notify_all();
  }

  std::atomic<bool> inside{false}, end{false};
  engine e;
  timer inside_it, later;
};

TEST(ForkWhileACallbackRuns, ChildsScheduleAndStopAreRefused) {
  engine_inside_a_callback there;
  expect_in_child([&] {
    EXPECT_EQ(problem_of([&] { there.e.schedule_after(0ns, [] {}); }).code, errc::forked);
    EXPECT_EQ(problem_of([&] { there.e.stop(); }).code, errc::forked);
  });
}

TEST(ForkWhileACallbackRuns, ChildMayAskAndCancel) {
  engine_inside_a_callback there;
  expect_in_child([&] {
    EXPECT_TRUE(there.e.stopped());
    EXPECT_EQ(there.e.metrics().scheduled, 2u);
    EXPECT_EQ(there.later.cancel(), cancel_result::cancelled);
    there.inside_it.cancel();
  });
  EXPECT_TRUE(there.later.pending());
}

TEST(ForkWhileACallbackRuns, ChildWaitsForNoneThatRunsInTheParentOnly) {
  engine_inside_a_callback there;
  expect_in_child([&] { there.inside_it.cancel_and_wait(); });
}

TEST(ForkWhileACallbackRuns, ChildMayEndAScopedTimerAndTheEngine) {
  auto there = std::make_unique<engine_inside_a_callback>();
  expect_in_child([&] {
    { scoped_timer ends(there->inside_it); }
    there.reset();
  });
}

// A group with a member whose callback runs until this ends, and another that waits.
struct group_inside_a_callback {
  group_inside_a_callback() {
    group->schedule_after(0ns, [this] {
      inside = true;
      end.wait(false);
    });
    later = group->schedule_after(1h, [] {});
    EXPECT_TRUE(eventually([this] { return inside.load(); }));
  }
  ~group_inside_a_callback() {
    end = true;
    end.notify_all();
  }

  std::atomic<bool> inside{false}, end{false};
  engine e;
  std::optional<timer_group> group{e};
  timer later;
};

TEST(ForkWhileACallbackRuns, ChildCancelsAGroupAndWaitsForNoneThatRunsInTheParentOnly) {
  group_inside_a_callback there;
  expect_in_child([&] {
    there.group->cancel_all_and_wait();
    EXPECT_FALSE(there.later.pending());
  });
  EXPECT_TRUE(there.later.pending());
}

TEST(ForkWhileACallbackRuns, ChildsEndOfAGroupChangesNothing) {
  group_inside_a_callback there;
  expect_in_child([&] {
    there.group.reset();
    EXPECT_TRUE(there.later.pending());
  });
  EXPECT_TRUE(there.later.pending());
}

TEST(Fork, FromACallbackLeavesAChildThatIsRefusedAndExits) {
  engine e;
  std::atomic<bool> done{false};
  std::string child;
  e.schedule_after(0ns, [&] {
    child = in_child([&] {
      EXPECT_FALSE(e.try_schedule_after(0ns, [] {}));
      EXPECT_EQ(problem_of([&] { e.stop(); }).code, errc::forked);
    });
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(child, "");
}

TEST(Fork, ChildsPollOfACallersEngineFiresNothing) {
  manual_clock clock;
  engine e({.manual = &clock});
  int fired = 0;
  e.schedule_after(0ns, [&] { ++fired; });
  expect_in_child([&] {
    EXPECT_EQ(e.poll(), 0u);
    EXPECT_FALSE(e.next_deadline());
    EXPECT_EQ(fired, 0);
  });
  EXPECT_EQ(e.poll(), 1u);
}

TEST(Fork, ChildsScopedTimerMayOutliveItsEngine) {
  auto e = std::make_unique<engine>();
  scoped_timer owner(e->schedule_after(1h, [] {}));
  expect_in_child([&] {
    e.reset();
    owner = {};
  });
  EXPECT_EQ(e->pending(), 1u);
}

// exit() runs the static destructors of the child.
TEST(ForkWhileACallbackRuns, ChildWithStaticTimersExits) {
  static std::unique_ptr<engine_inside_a_callback> there;
  static scoped_timer ends;  // destroyed before the engine
  there = std::make_unique<engine_inside_a_callback>();
  ends = scoped_timer(there->inside_it);
  expect_in_child([] { std::exit(HasFailure() ? 1 : 0); });
  ends.release();
  there.reset();
}

}  // namespace
}  // namespace detent
