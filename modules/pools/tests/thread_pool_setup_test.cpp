// SPDX-License-Identifier: MIT
// The threads of a pool: how many there are, where they run, and what cannot be asked of it.
#include <detent/thread_pool.hpp>

#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using drive::eventually;
using drive::problem_of;

TEST(ThreadPool, LeavesNoThreadBehind) {
  const std::size_t before = drive::threads();
  for (int i = 0; i < 20; ++i) thread_pool pool({.threads = 4});
  EXPECT_TRUE(eventually([&] { return drive::threads() <= before; }));
}

TEST(ThreadPool, PinsOneThreadToEachOfItsCpusInTurn) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (sched_setaffinity(0, sizeof allowed, &allowed) != 0)
    GTEST_SKIP() << "this kernel does not let a thread choose its processor";
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &allowed)) cpus.push_back(cpu);
  }
  if (cpus.size() < 2) GTEST_SKIP() << "there is one processor";
  cpus.resize(2);
  thread_pool pool({.threads = 3, .cpus = cpus, .name = "turn-pool"});
  EXPECT_TRUE(eventually([&] {
    std::multiset<std::string> pinned_to;
    for (const std::string& id : drive::entries_of("/proc/self/task")) {
      const std::string folder = "/proc/self/task/" + id + "/";
      if (drive::read_text(folder + "comm") == "turn-pool")
        pinned_to.insert(drive::status_field(folder, "Cpus_allowed_list"));
    }
    return pinned_to.size() == 3 && pinned_to.count(std::to_string(cpus[0])) == 2;
  }));
}

TEST(ThreadPool, NamesAnImpossibleOption) {
  auto refused = [](thread_pool_options options) { return problem_of([&] { thread_pool pool(std::move(options)); }); };
  EXPECT_TRUE(refused({.threads = 0}).names("threads = 0"));
  EXPECT_TRUE(refused({.threads = 1'000'000'000}).names("threads = 1000000000: must be 1 to 65536"));
  EXPECT_TRUE(refused({.threads = SIZE_MAX}).names("threads = 18446744073709551615: must be 1 to 65536"));
  EXPECT_TRUE(refused({.queue_capacity = 0}).names("queue_capacity = 0"));
  EXPECT_TRUE(refused({.cpus = {0, 100'000}}).names("cpus[1] = 100000: no such CPU; this host has 0"));
  EXPECT_TRUE(refused({.cpus = {-1}}).names("cpus[0] = -1: no such CPU; this host has 0"));
  EXPECT_EQ(refused({.cpus = {static_cast<int>(sysconf(_SC_NPROCESSORS_CONF))}}).code, errc::invalid_option);
  EXPECT_EQ(refused({.threads = 0}).code, errc::invalid_option);
}

}  // namespace
}  // namespace detent
