// SPDX-License-Identifier: MIT
// A child of a program that drives its engine itself: it disturbs its parent's loop in no way, and its own calls of the
// engine's drive end.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "hostile/in_child.hpp"
#include "support/leaks_of_parent_only.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::expect_in_child;
using hostile::in_child;

bool is_readable(int descriptor, int wait_ms = 0) {
  pollfd asked{descriptor, POLLIN, 0};
  return ::poll(&asked, 1, wait_ms) == 1 && (asked.revents & POLLIN) != 0;
}
// A time that has passed too takes the kernel a moment.
bool becomes_readable(int descriptor) { return is_readable(descriptor, 60'000); }

// An engine that waits on its descriptor for something that is an hour away, in the middle of a program's loop.
struct engine_outside {
  engine_outside() {
    for (int i = 0; i != 20'000; ++i) many.push_back(e->schedule_after(1h, [] {}));  // reported to the driver in lots
    for (int i = 0; i != 3; ++i) group->schedule_after(1h, [] {});
    // The engine knows so many by the beginning of their slot in the wheel, which may be a moment away: then it wakes
    // once in between.
    EXPECT_TRUE(eventually([&] {
      e->poll();
      return is_armed();
    }));
  }
  bool is_armed() const {
    itimerspec left{};
    timerfd_gettime(descriptor, &left);
    return left.it_value.tv_sec > 20 && !is_readable(descriptor);
  }

  std::optional<engine> e{engine_options{.drive = drive_kind::caller}};
  const int descriptor = e->wake_fd();
  std::vector<timer> many;
  std::optional<timer_group> group{*e};
};

// The descriptor reports nothing that happens in the child: neither to the parent nor to the child's own loop.
template <class Body>
void expect_no_wake_up(const char* what, Body&& body) {
  engine_outside there;
  EXPECT_EQ(in_child([&] {
              body(there);
              if (there.e) {
                EXPECT_EQ(there.e->wake_fd(), there.descriptor);
              }
              EXPECT_FALSE(is_readable(there.descriptor));
            }),
            "")
      << what;
  EXPECT_TRUE(there.is_armed()) << what;
  there.e->schedule_after(0ns, [] {});
  EXPECT_TRUE(becomes_readable(there.descriptor)) << what;
  EXPECT_EQ(there.e->poll(), 1u) << what;
  EXPECT_TRUE(there.is_armed()) << what;
}

TEST(ForkOfALoop, NothingThatTheChildDoesWakesItsParent) {
  expect_no_wake_up("cancel", [](engine_outside& there) {
    for (timer& each : there.many) each.cancel();
  });
  expect_no_wake_up("cancel_bulk", [](engine_outside& there) { there.e->cancel_bulk(there.many); });
  expect_no_wake_up("restart", [](engine_outside& there) { there.many[0].restart_after(0ns); });
  expect_no_wake_up("cancel_all", [](engine_outside& there) { there.group->cancel_all_and_wait(); });
  expect_no_wake_up("pause", [](engine_outside& there) {
    there.group->pause();
    there.group->resume();
  });
  expect_no_wake_up("poll", [](engine_outside& there) { EXPECT_EQ(there.e->poll(), 0u); });
  expect_no_wake_up("the end of the group", [](engine_outside& there) { there.group.reset(); });
  expect_no_wake_up("the end of the engine", [](engine_outside& there) { there.e.reset(); });
}

TEST(ForkOfALoop, TheDescriptorsNumberIsTheChildsOwn) {
  engine_outside there;
  expect_in_child([&] {
    EXPECT_EQ(fcntl(there.descriptor, F_GETFD), FD_CLOEXEC);
    itimerspec at_once{};
    at_once.it_value.tv_nsec = 1;
    EXPECT_EQ(timerfd_settime(there.descriptor, 0, &at_once, nullptr), 0);
    EXPECT_TRUE(becomes_readable(there.descriptor));
  });
  EXPECT_TRUE(there.is_armed());
}

TEST(ForkOfALoop, AChildThatAsksForADescriptorFirstGetsOneThatNothingMakesReadable) {
  engine e({.drive = drive_kind::caller});
  timer due = e.schedule_after(0ns, [] {});
  expect_in_child([&] {
    const int descriptor = e.wake_fd();
    due.restart_after(0ns);
    EXPECT_FALSE(e.next_deadline());
    EXPECT_FALSE(is_readable(descriptor));
  });
}

// The thread that is inside poll() is the parent's alone.
TEST(ForkOfALoop, ChildsPollIsNotRefusedForAThreadOfItsParents) {
  engine e({.drive = drive_kind::caller});
  std::atomic<bool> inside{false}, end{false};
  e.schedule_after(0ns, [&] {
    inside = true;
    end.wait(false);
  });
  std::thread loop([&] { e.poll(); });
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  expect_in_child([&] {
    EXPECT_EQ(e.poll(), 0u);
    EXPECT_FALSE(e.next_deadline());
    EXPECT_FALSE(is_readable(e.wake_fd()));
  });
  end = true;
  end.notify_all();
  loop.join();
}

// A child that returns from the callback in which it began, all the way out of poll().
TEST(ForkOfALoop, ChildLeavesThePollThatItWasForkedIn) {
  engine_outside there;
  pid_t child = -1;
  there.e->schedule_after(0ns, [&] { child = fork(); });
  int fired = 0;
  for (int i = 0; i != 3; ++i) there.e->schedule_after(0ns, [&] { ++fired; });
  EXPECT_TRUE(eventually([&] { return there.e->poll() != 0; }));
  ASSERT_NE(child, -1);
  if (child == 0) {
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(there.e->poll(), 0u);
    EXPECT_FALSE(is_readable(there.descriptor));
    there.group->cancel_all();
    there.e.reset();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(eventually([&] { return there.e->poll() == 0 && fired == 3; }));
  EXPECT_TRUE(there.is_armed());
}

// The captures die while others wait for the end: in the child they do not.
TEST(ForkOfALoop, ChildLeavesTheEndOfTheEngineThatItWasForkedIn) {
  static pid_t child = -1;
  struct forks {
    bool armed = true;
    forks() = default;
    forks(forks&& other) noexcept : armed(std::exchange(other.armed, false)) {}
    ~forks() {
      if (armed) child = fork();
    }
    void operator()() const {}
  };
  std::atomic<bool> inside{false}, end{false};
  auto pool = std::make_shared<thread_pool>();
  auto e = std::make_unique<engine>(engine_options{.executor = pool});
  e->schedule_after(0ns, [&] {
    inside = true;
    while (!end) std::this_thread::sleep_for(1ms);
  });
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  e->schedule_after(1h, forks());
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    end = true;
  });
  e.reset();
  ASSERT_NE(child, -1);
  if (child == 0) _exit(testing::Test::HasFailure() ? 1 : 0);
  int status = 0;
  if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  EXPECT_EQ(status, 0) << "the child failed, or hung";
  later.join();
}

// Work that was handed to an executor is also in the child's copy of its queue.
TEST(ForkOfALoop, ChildRunsNothingThatWasHandedOver) {
  struct holder : executor {
    bool execute(fired_timer&& work) noexcept override {
      held.emplace(std::move(work));
      return true;
    }
    std::optional<fired_timer> held;
  };
  auto holding = std::make_shared<holder>();
  manual_clock clock;
  engine e({.manual = &clock, .executor = holding});
  int fired = 0;
  e.schedule_after(0ns, [&] { ++fired; });
  e.poll();
  ASSERT_TRUE(holding->held);
  expect_in_child([&] {
    (*holding->held)();
    EXPECT_EQ(fired, 0);
  });
  (*holding->held)();
  EXPECT_EQ(fired, 1);
}

}  // namespace
}  // namespace detent
