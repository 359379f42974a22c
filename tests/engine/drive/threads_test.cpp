// SPDX-License-Identifier: MIT
// The effects of the engine on threads: its own worker's, and those that come and go around it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

int some_allowed_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) return static_cast<int>(cpu);
  }
  return 0;
}

TEST(EngineThreads, WorkerBearsTheEnginesName) {
  engine e({.name = "my-timers"});
  EXPECT_TRUE(drive::thread_folder("my-timers"));
}

TEST(EngineThreads, ReportsWhichIsItsWorker) {
  std::optional<engine> e(std::in_place, engine_options{.name = "known"});
  std::atomic<pid_t> id{0};
  std::atomic<pthread_t> handle{};
  e->schedule_after(0s, [&] {
    handle = pthread_self();
    id = gettid();
  });
  ASSERT_TRUE(eventually([&] { return id != 0; }));
  const engine moved = std::move(*e);
  EXPECT_EQ(moved.worker_thread_id(), id);
  EXPECT_TRUE(pthread_equal(moved.native_handle(), handle));
  EXPECT_TRUE(drive::thread_folder("known")->ends_with("/" + std::to_string(id) + "/"));
}

TEST(EngineThreads, ReportsNoWorkerWhereThereIsNone) {
  EXPECT_EQ(drive::virtual_engine().engine.worker_thread_id(), 0);
  engine e;
  EXPECT_NE(e.worker_thread_id(), 0);
  e.stop();
  EXPECT_EQ(e.worker_thread_id(), 0);
  EXPECT_EQ(e.native_handle(), pthread_t{});
}

TEST(EngineThreads, WorkersNameIsCutToWhatTheKernelKeeps) {
  engine e({.name = "a-name-of-more-than-fifteen-characters"});
  EXPECT_TRUE(drive::thread_folder("a-name-of-more-"));
}

TEST(EngineThreads, WorkersTimerSlackIsOneNanosecond) {
  if (prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK)), 0UL, 0UL, 0UL) != 0)
    GTEST_SKIP() << "this kernel does not let a timer slack be set";
  engine e({.name = "slackless"});
  const std::optional<std::string> folder = drive::thread_folder("slackless");
  ASSERT_TRUE(folder);
  const std::string id = folder->substr(folder->find("task/") + 5);
  // The kernel shows it at the process's level, where any thread's number is good.
  const std::string slack = drive::read_text("/proc/" + id + "timerslack_ns");
  if (slack.empty()) GTEST_SKIP() << "this kernel does not show the slack of threads";
  EXPECT_EQ(slack, "1");
}

TEST(EngineThreads, CallersSlackAndNameStayAsTheyWere) {
  const std::string name = drive::read_text("/proc/thread-self/comm");
  const std::string slack = drive::read_text("/proc/self/timerslack_ns");
  engine worker({.name = "other"}), caller({.name = "another", .drive = drive_kind::caller});
  EXPECT_EQ(drive::read_text("/proc/thread-self/comm"), name);
  EXPECT_EQ(drive::read_text("/proc/self/timerslack_ns"), slack);
}

TEST(EngineThreads, WorkerRunsOnTheCpuItIsGiven) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || sched_setaffinity(0, sizeof allowed, &allowed) != 0)
    GTEST_SKIP() << "this kernel does not let a processor be chosen";
  const int cpu = some_allowed_cpu();
  engine e({.name = "pinned", .cpu = cpu});
  const std::optional<std::string> folder = drive::thread_folder("pinned");
  ASSERT_TRUE(folder);
  EXPECT_EQ(drive::status_field(*folder, "Cpus_allowed_list"), std::to_string(cpu));
}

TEST(EngineThreads, CallerDrivenEngineHasNone) {
  const std::size_t before = drive::threads();
  manual_clock clk;
  engine caller({.drive = drive_kind::caller}), virtual_time({.manual = &clk});
  EXPECT_LE(drive::threads(), before);  // a thread that ended just before may still have been counted
}

TEST(EngineThreads, NoneIsLeftByAThousandEngines) {
  for (int i = 0; i < 3; ++i) engine e({.reserve = 64});
  const std::size_t before = drive::threads();
  for (int i = 0; i < 1000; ++i) {
    engine e({.reserve = 64});
    e.schedule_after(i % 2 == 0 ? 0ns : 1h, [] {});
  }
  EXPECT_TRUE(eventually([&] { return drive::threads() <= before; }));
}

TEST(EngineThreads, ProducersMayEndBeforeTheirTimersFire) {
  engine e;
  std::atomic<int> fired{0};
  for (int i = 0; i < 50; ++i) {
    std::thread([&] { e.schedule_after(5ms, [&] { ++fired; }); }).join();
  }
  EXPECT_TRUE(eventually([&] { return fired == 50; }));
}

TEST(EngineThreads, ProducersMayOutliveTheEngine) {
  std::optional<engine> e(std::in_place);
  std::barrier used(3), destroyed(3);
  auto producer = [&] {
    e->schedule_after(1h, [] {});
    used.arrive_and_wait();
    destroyed.arrive_and_wait();
  };
  std::thread one(producer), two(producer);
  used.arrive_and_wait();
  e.reset();
  destroyed.arrive_and_wait();
  one.join();
  two.join();
}

TEST(EngineThreads, ProducersMayEndWhileTheEngineIsDestroyed) {
  for (int round = 0; round < 200; ++round) {
    auto e = std::make_unique<engine>(engine_options{.reserve = 64});
    std::barrier together(3);
    auto producer = [&] {
      e->schedule_after(1h, [] {}).cancel();
      together.arrive_and_wait();
    };
    std::thread one(producer), two(producer);
    together.arrive_and_wait();
    e.reset();
    one.join();
    two.join();
  }
}

}  // namespace
}  // namespace detent
