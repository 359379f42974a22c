// SPDX-License-Identifier: MIT
// The memory options: what cannot be had is named, what is asked for works.
#include <detent/detent.hpp>

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_process.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;

drive::problem create(engine_options options) {
  return problem_of([&] { engine e(std::move(options)); });
}

void expect_fires(engine_options options) {
  drive::virtual_engine rig(std::move(options));
  std::vector<timer> timers;
  for (int i = 0; i < 10'000; ++i) timers.push_back(rig.engine.schedule_after(duration(i), [] {}));
  for (std::size_t i = 0; i < timers.size(); i += 2) timers[i].cancel();
  EXPECT_EQ(rig.poll_at(drive::at(10'000)), 5'000u);
}

// Runs `check` in a child without privileges; it returns what to print if something is wrong.
std::string in_unprivileged_child(const std::function<std::string()>& check) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_MEMLOCK, &none);
    setrlimit(RLIMIT_RTPRIO, &none);
    if (getuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    const std::string wrong = check();
    if (write(ends[1], wrong.data(), wrong.size()) != static_cast<ssize_t>(wrong.size())) _exit(3);
    _exit(0);
  }
  close(ends[1]);
  std::string wrong;
  char text[512];
  for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;) wrong.append(text, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? wrong : wrong + " (the child ended with status " + std::to_string(status) + ")";
}

TEST(EngineMemory, NamesANumaNodeThatIsNotThere) {
  drive::problem refused = create({.memory = {.numa_node = 1000}});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.numa_node = 1000")) << refused.what;
}

TEST(EngineMemory, NamesANegativeNumaNode) {
  drive::problem refused = create({.memory = {.numa_node = -2}});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.numa_node = -2")) << refused.what;
}

TEST(EngineMemory, NamesJemallocWhereTheProgramHasNone) {
  drive::problem refused = create({.memory = {.source = memory_source::jemalloc}});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.source = jemalloc")) << refused.what;
}

TEST(EngineMemory, NamesALockThatIsRequiredAndDenied) {
  const std::string wrong = in_unprivileged_child([] {
    drive::problem refused = create({.drive = drive_kind::caller, .memory = {.lock = wish::require}});
    return refused.code == errc::invalid_option && refused.names("memory.lock = require") ? "" : "got: " + refused.what;
  });
  EXPECT_EQ(wrong, "");
}

TEST(EngineMemory, DoesWithoutALockThatIsOnlyAttempted) {
  const std::string wrong = in_unprivileged_child([] {
    drive::problem refused = create({.drive = drive_kind::caller, .memory = {.lock = wish::attempt}});
    return refused.code ? refused.what : "";
  });
  EXPECT_EQ(wrong, "");
}

TEST(EngineMemory, NamesARealTimePriorityThatIsDenied) {
  const std::string wrong = in_unprivileged_child([] {
    drive::problem refused = create({.realtime_priority = 10});
    return refused.code == errc::not_permitted && refused.names("realtime_priority = 10") ? "" : "got: " + refused.what;
  });
  EXPECT_EQ(wrong, "");
}

TEST(EngineMemory, NamesHugePagesThatAreRequiredWhereTheKernelHasNone) {
  const std::string policy = drive::read_text("/sys/kernel/mm/transparent_hugepage/enabled");
  drive::problem refused = create({.drive = drive_kind::caller, .memory = {.huge_pages = wish::require}});
  if (!policy.empty() && policy.find("[never]") == std::string::npos) GTEST_SKIP() << "this kernel has them";
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.huge_pages = require")) << refused.what;
}

TEST(EngineMemory, NamesAReserveThatNoMachineHas) {
  drive::problem refused = create({.drive = drive_kind::caller, .reserve = SIZE_MAX});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("reserve = " + std::to_string(SIZE_MAX))) << refused.what;
}

TEST(EngineMemory, NamesTheEngineToo) {
  drive::problem refused = create({.memory = {.numa_node = 1000}, .name = "gateway"});
  EXPECT_TRUE(refused.names("gateway")) << refused.what;
}

TEST(EngineMemory, TellsTheCodeWithoutExceptions) {
  std::error_code refused;
  EXPECT_FALSE(engine::try_create({.memory = {.source = memory_source::jemalloc}}, refused));
  EXPECT_EQ(refused, errc::invalid_option);
}

TEST(EngineMemory, LeavesNothingBehindWhenItIsRefused) {
  create({.memory = {.numa_node = 1000}});
  const std::size_t threads = drive::threads(), descriptors = drive::descriptors();
  for (int i = 0; i < 50; ++i) create({.memory = {.numa_node = 1000}});
  EXPECT_TRUE(drive::eventually([&] { return drive::threads() <= threads; }));
  EXPECT_EQ(drive::descriptors(), descriptors);
}

TEST(EngineMemory, WorksWithEveryWish) {
  for (wish each : {wish::off, wish::attempt}) {
    expect_fires({.memory = {.huge_pages = each, .prefault = each, .lock = each}});
  }
  expect_fires({.memory = {.prefault = wish::require}});
}

TEST(EngineMemory, WorksOnNodeZero) {
  if (!std::filesystem::exists("/sys/devices/system/node/node0")) GTEST_SKIP() << "no NUMA nodes here";
  drive::problem refused = create({.drive = drive_kind::caller, .memory = {.numa_node = 0}});
  if (refused.code) GTEST_SKIP() << refused.what;  // a container may forbid mbind
  expect_fires({.memory = {.numa_node = 0}});
}

TEST(EngineMemory, GrowsBeyondTheReserve) {
  manual_clock clk;
  engine e({.manual = &clk, .reserve = 0});
  for (int i = 0; i < 50'000; ++i) e.schedule_after(1s, [] {});
  clk.advance(1s);
  EXPECT_EQ(e.poll(), 50'000u);
}

}  // namespace
}  // namespace detent
