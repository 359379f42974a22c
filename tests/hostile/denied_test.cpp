// SPDX-License-Identifier: MIT
// The machine denies threads, real-time priority, locked memory or processors. The constructor names what is denied and
// leaves nothing behind; existing engines continue. Without membarrier, engines work as well.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hostile/drop_privileges.hpp"
#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"
#include "support/platform/process.hpp"
#include "support/temporary_directory.hpp"

// Asked by the address sanitizer, which would keep freed memory mapped otherwise, and that is counted here.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"; }

extern "C" [[gnu::weak]] void __asan_init();  // null in programs without AddressSanitizer

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::problem_of;
using hostile::drop_privileges;
using hostile::expect_in_child;
using hostile::lowered_limit;

void expect_fires(engine& e) {
  std::atomic<bool> fired{false};
  e.schedule_after(1us, [&fired] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

// Refused again and again, it leaves neither threads nor descriptors nor mappings.
template <class Create>
void expect_nothing_left(Create&& create) {
  auto rounds = [&](int number) {
    for (int i = 0; i < number; ++i) EXPECT_TRUE(problem_of(create).code);
  };
  const std::size_t threads = drive::threads();
  rounds(10);
  const std::size_t descriptors = drive::descriptors(), mappings = drive::mappings();
  rounds(40);
  EXPECT_TRUE(eventually([&] { return drive::threads() == threads; }));
  EXPECT_EQ(drive::descriptors(), descriptors);
  EXPECT_LE(drive::mappings(), mappings + 39);  // a leak would come forty times, at least
}

TEST(DeniedThreads, AreNamedByTheEngineWhichLeavesNothing) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    drive::threads();  // its first call starts one
    engine there;
    {
      lowered_limit none(RLIMIT_NPROC, 0);
      ASSERT_TRUE(none.is_set());
      const drive::problem refused = problem_of([] { engine e; });
      EXPECT_EQ(refused.code, errc::limit_reached);
      EXPECT_TRUE(refused.names("the worker thread cannot be started: ")) << refused.what;
      EXPECT_TRUE(refused.names("raise RLIMIT_NPROC, which is 0 (ulimit -u, ")) << refused.what;
      expect_nothing_left([] { engine e; });
      expect_fires(there);
    }
    engine next;
    expect_fires(next);
  });
}

TEST(DeniedThreads, AreTheWorkersAlone) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    lowered_limit none(RLIMIT_NPROC, 0);
    engine e({.drive = drive_kind::caller});
    int fired = 0;
    e.schedule_after(0ns, [&fired] { ++fired; });
    EXPECT_TRUE(eventually([&] { return e.poll() == 1; }));
    EXPECT_EQ(fired, 1);
  });
}

TEST(DeniedThreads, AreNamedByThePoolWhichLeavesNothing) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    drive::threads();
    lowered_limit none(RLIMIT_NPROC, 0);
    auto create = [] { thread_pool pool({.threads = 3}); };
    const drive::problem refused = problem_of(create);
    EXPECT_EQ(refused.code, errc::limit_reached);
    EXPECT_TRUE(refused.names("threads = 3: ")) << refused.what;
    EXPECT_TRUE(refused.names("raise RLIMIT_NPROC, which is 0 (ulimit -u, ")) << refused.what;
    expect_nothing_left(create);
  });
}

TEST(DeniedRealTimePriority, IsNamedAndLeavesNothing) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    auto create = [] { engine e({.realtime_priority = 50}); };
    const drive::problem refused = problem_of(create);
    EXPECT_EQ(refused.code, errc::not_permitted);
    EXPECT_EQ(refused.what,
              "engine \"detent\": realtime_priority = 50: needs CAP_SYS_NICE or RLIMIT_RTPRIO >= 50, "
              "which is 0; LimitRTPRIO=50 in the service, ulimit -r 50, or setcap cap_sys_nice+ep PROGRAM");
    expect_nothing_left(create);
  });
}

TEST(DeniedCpuLatency, IsNamedWithItsCureAndLeavesNothing) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    auto create = [] { engine e({.cpu_latency_limit = 20us}); };
    const drive::problem refused = problem_of(create);
    const bool is_there = access("/dev/cpu_dma_latency", F_OK) == 0;
    EXPECT_EQ(refused.code, is_there ? errc::not_permitted : errc::invalid_option);
    EXPECT_TRUE(refused.names("cpu_latency_limit = 20000 ns: /dev/cpu_dma_latency: ")) << refused.what;
    EXPECT_TRUE(refused.names(is_there ? "run as root, or let the user write to it" : "a kernel CONFIG_CPU_IDLE"))
        << refused.what;
    EXPECT_EQ(refused.what.find('\n'), std::string::npos) << refused.what;
    expect_nothing_left(create);
  });
}

TEST(DeniedLock, IsNamedAndLeavesNothing) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    auto create = [] { engine e({.memory = {.lock = preference::require}}); };
    const drive::problem refused = problem_of(create);
    EXPECT_EQ(refused.code, errc::not_permitted);
    EXPECT_TRUE(refused.names("memory.lock = require: ")) << refused.what;
    EXPECT_TRUE(refused.names("RLIMIT_MEMLOCK, which is ")) << refused.what;
    expect_nothing_left(create);
  });
}

TEST(DeniedLock, OfALaterSlabRefusesTheTimerAndTheEngineGoesOn) {
  expect_in_child([] {
    rlimit limit{};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 64u << 20);
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    ASSERT_TRUE(getuid() != 0 || setresuid(65534, 65534, 65534) == 0);
    manual_clock clock;
    failure refused;
    auto made_engine =
        engine::try_create({.manual = &clock, .reserve = 1000, .memory = {.lock = preference::require}}, refused);
    if (!made_engine) {
      std::printf("not tested: an engine cannot lock what it begins with: %s\n", refused.message().c_str());
      return;
    }
    engine& e = *made_engine;
    std::size_t made = 0;
    while (made < 2'000'000 && e.try_schedule_after(1ms, [] {})) ++made;
    EXPECT_LT(made, 2'000'000u) << "the limit was never met";
    EXPECT_EQ(problem_of([&] { e.schedule_after(1ms, [] {}); }).code, errc::out_of_memory);
    EXPECT_EQ(e.pending(), made);
    clock.advance(1ms);
    EXPECT_EQ(e.poll(), made);
    EXPECT_TRUE(e.try_schedule_after(1ms, [] {}));
  });
}

// Calls that ask the kernel for a file, by the name with which the error begins.
std::vector<std::pair<std::string, std::function<void()>>> uses_of_files(engine& polled, const std::string& folder) {
  const std::string trace = folder + "/trace.csv", counters = folder + "/counters";
  return {{"record = \"" + trace + "\": ", [trace] { engine e({.record = trace}); }},
          {"counters_file = \"" + counters + "\": ", [counters] { engine e({.counters_file = counters}); }},
          {"wake_fd(): ", [&polled] { polled.wake_fd(); }}};
}

TEST(DeniedDescriptors, AreOneCodeWhateverWantedOne) {
  if (&__asan_init != nullptr) GTEST_SKIP() << "UBSan, which comes with it, looks for objects through a pipe";
  const test::temporary_directory place;
  expect_in_child([&] {
    engine polled({.drive = drive_kind::caller});
    lowered_limit none(RLIMIT_NOFILE, 0);
    for (const auto& [named, use] : uses_of_files(polled, place.path())) {
      const drive::problem refused = problem_of(use);
      EXPECT_EQ(refused.code, errc::limit_reached) << refused.what;
      EXPECT_TRUE(refused.names("engine \"detent\": " + named)) << refused.what;
      EXPECT_TRUE(refused.names("raise RLIMIT_NOFILE, which is 0 (ulimit -n, ")) << refused.what;
    }
    EXPECT_EQ(polled.poll(), 0u);
  });
}

TEST(DeniedFolder, IsOneCodeWhateverWasToBeWrittenThere) {
  const test::temporary_directory place;
  std::filesystem::permissions(place.path(), std::filesystem::perms(0555));
  expect_in_child([&] {
    ASSERT_TRUE(drop_privileges());
    engine polled({.drive = drive_kind::caller});
    auto uses = uses_of_files(polled, place.path());
    uses.pop_back();  // which needs no folder
    for (const auto& [named, use] : uses) {
      const drive::problem refused = problem_of(use);
      EXPECT_EQ(refused.code, errc::not_permitted) << refused.what;
      EXPECT_TRUE(refused.names(named + "Permission denied; the user must be allowed to write there")) << refused.what;
    }
  });
}

// Privileges do not matter here: an unprivileged process gets the same answer.
void expect_cpu_refused(const std::string& named, const std::function<void()>& create) {
  expect_in_child([&] {
    ASSERT_TRUE(drop_privileges());
    const drive::problem refused = problem_of(create);
    EXPECT_EQ(refused.code, errc::invalid_option);
    EXPECT_TRUE(refused.names(named)) << refused.what;
    expect_nothing_left(create);
  });
}

// From here on, for good, to all threads.
bool deny_membarrier(int error) {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(steps), .filter = steps};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

TEST(DeniedMembarrier, IsDoneWithout) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    if (!deny_membarrier(ENOSYS)) {
      std::printf("not tested: this kernel has no filters for system calls\n");
      return;
    }
    engine e;
    expect_fires(e);
    e.schedule_after(1h, [] {});
    EXPECT_EQ(e.stop().size(), 1u);
  });
}

// A program that shuts itself in once it has set up its engines.
TEST(DeniedMembarrier, WhenTheEngineReliesOnItIsDoneWithoutFromThenOn) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    engine e({.wait = wait_options::sleep()}), stopped_at_once;
    // After so many submissions to one wait the worker pays for the fences of the others.
    for (int i = 0; i < 40'000; ++i) e.schedule_after(1h, [] {});
    expect_fires(e);
    if (!deny_membarrier(EPERM)) {
      std::printf("not tested: this kernel has no filters for system calls\n");
      return;
    }
    stopped_at_once.schedule_after(1h, [] {});
    EXPECT_EQ(stopped_at_once.stop().size(), 1u);
    std::thread others([&e] {
      for (int i = 0; i < 100; ++i) expect_fires(e);
    });
    for (int i = 0; i < 100; ++i) expect_fires(e);
    others.join();
    EXPECT_EQ(e.stop().size(), 40'000u);
    engine next;
    expect_fires(next);
  });
}

TEST(DeniedCpu, ThatDoesNotExistIsNamedAndLeavesNothing) {
  const int absent = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
  expect_cpu_refused("cpu = " + std::to_string(absent), [&] { engine e({.cpu = absent}); });
}

TEST(DeniedCpu, IsNamedByThePoolWhichLeavesNothing) {
  const int absent = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
  expect_cpu_refused("cpus[1] = " + std::to_string(absent), [&] {
    thread_pool pool({.threads = 2, .cpus = {0, absent}});
  });
}

}  // namespace
}  // namespace detent
