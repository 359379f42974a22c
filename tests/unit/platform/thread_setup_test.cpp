// SPDX-License-Identifier: MIT
#include "platform/thread_setup.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>

namespace detent::detail {
namespace {

// In a thread of its own, so that no other test finds what it sets.
template <class F>
void in_a_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

// A processor that this process may use.
int allowed_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) return static_cast<int>(cpu);
  }
  return -1;
}

// Returns whether this kernel lets a thread choose its processors; some sandboxes do not.
bool may_choose_cpus() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

TEST(ThreadSetup, TouchesNeitherAffinityNorSchedulerUnasked) {
  in_a_thread([] {
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    ASSERT_EQ(set_up_worker_thread("left alone", {}, {}).problem, errc{});
    sched_getaffinity(0, sizeof after, &after);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
  });
}

TEST(ThreadSetup, SaysThatACpuMayNotBeChosen) {
  if (may_choose_cpus()) GTEST_SKIP() << "it may";
  in_a_thread([] {
    setup_result refused = set_up_worker_thread("pinned", allowed_cpu(), {});
    EXPECT_EQ(refused.problem, errc::not_permitted);
    EXPECT_EQ(refused.why, "cpu = " + std::to_string(allowed_cpu()) +
                               ": Operation not permitted; a filter for system calls forbids sched_setaffinity");
  });
}

TEST(ThreadSetup, NamesTheOptionThatCannotBe) {
  if (!may_choose_cpus()) GTEST_SKIP() << "this kernel lets nobody choose a processor";
  in_a_thread([] {
    setup_result cpu = set_up_worker_thread("nowhere", CPU_SETSIZE - 1, {});
    EXPECT_EQ(cpu.problem, errc::invalid_option);
    EXPECT_EQ(cpu.why, "cpu = " + std::to_string(CPU_SETSIZE - 1) +
                           ": offline, or not in the control group's cpuset; " + describe_cpus());
    setup_result priority = set_up_worker_thread("too much", {}, 1'000);
    EXPECT_EQ(priority.problem, errc::invalid_option);
    EXPECT_EQ(priority.why.substr(0, 26), "realtime_priority = 1000: ");
  });
}

// It depends on the user of the test whether this is permitted; both ends of the range are valid priorities.
TEST(ThreadSetup, BecomesRealTimeOrSaysThatItMayNot) {
  for (int priority : {1, 99}) {
    in_a_thread([priority] {
      setup_result done = set_up_worker_thread("real time", {}, priority);
      if (done.problem == errc{}) {
        sched_param now{};
        EXPECT_EQ(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
        EXPECT_EQ(sched_getparam(0, &now), 0);
        EXPECT_EQ(now.sched_priority, priority);
      } else {
        EXPECT_EQ(done.problem, errc::not_permitted);
        EXPECT_EQ(done.why.rfind("realtime_priority = " + std::to_string(priority) + ": ", 0), 0U) << done.why;
      }
    });
  }
}

// A helper that a callback starts is an ordinary one.
TEST(ThreadSetup, LeavesItsPriorityToNothingThatTheThreadStarts) {
  in_a_thread([] {
    if (set_up_worker_thread("real time", {}, 1).problem != errc{}) GTEST_SKIP() << "this user may not be real-time";
    in_a_thread([] { EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER); });
    const pid_t child = fork();
    if (child == 0) _exit(sched_getscheduler(0) == SCHED_OTHER ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child is real-time";
  });
}

TEST(DescribeCpus, NamesThoseOfTheHostAndThoseOfThisThread) {
  if (!may_choose_cpus()) GTEST_SKIP() << "this kernel lets nobody choose a processor";
  in_a_thread([] {
    const std::string cpu = std::to_string(allowed_cpu());
    ASSERT_EQ(pin_thread(pthread_self(), allowed_cpu()), 0);
    const std::string text = describe_cpus(), end = ", and this thread may use " + cpu;
    EXPECT_EQ(text.rfind("this host has 0", 0), 0u) << text;
    EXPECT_EQ(text.substr(text.size() - end.size()), end);
  });
}

TEST(PinThread, RefusesWhatIsNoCpu) {
  if (!may_choose_cpus()) GTEST_SKIP() << "this kernel lets nobody choose a processor";
  in_a_thread([] {
    EXPECT_EQ(pin_thread(pthread_self(), -1), EINVAL);
    EXPECT_EQ(pin_thread(pthread_self(), CPU_SETSIZE), EINVAL);
    EXPECT_EQ(pin_thread(pthread_self(), allowed_cpu()), 0);
  });
}

}  // namespace
}  // namespace detent::detail
