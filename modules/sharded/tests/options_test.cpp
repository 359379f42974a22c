// SPDX-License-Identifier: MIT
// Tests the options of a sharded_engine, and its messages about wrong ones.
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/drive_problem.hpp"
#include "support/temporary_directory.hpp"

namespace detent {
namespace {

using drive::problem_of;

void expect_refusal(const sharded_options& options, const std::string& line) {
  const drive::problem refused = problem_of([&] { sharded_engine set(options); });
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_EQ(refused.what, line);
  failure problem;
  EXPECT_EQ(sharded_engine::try_create(options, problem), nullptr);
  EXPECT_EQ(problem, errc::invalid_option);
  EXPECT_EQ(problem.message(), line);
}

TEST(ShardedOptions, NameTheOptionTheValueAndTheCure) {
  const std::string set = "sharded_engine \"quotes\": ";
  expect_refusal({.name = "quotes"}, set + "shards = 0: must be 1 to 1024; there is no default");
  expect_refusal({.name = "quotes", .shards = 1025}, set + "shards = 1025: must be 1 to 1024");
  expect_refusal({.name = "quotes", .shards = SIZE_MAX}, set + "shards = 18446744073709551615: must be 1 to 1024");
  expect_refusal({.name = "quotes", .shards = 2, .each = {.drive = drive_kind::caller}, .cpus = {0, 0}},
                 set + "cpus: the shards have no workers (each.drive); leave them out, and pin the threads that poll");
  expect_refusal({.name = "quotes", .shards = 3, .cpus = {0, 0}},
                 set + "cpus.size() = 2: must be 3, one for each shard, or 0");
  expect_refusal({.name = "quotes", .shards = 2, .each = {.cpu = 0}},
                 set + "each.cpu = 0: would pin all workers to one CPU; name them in cpus");
  expect_refusal({.name = "quotes", .shards = 2, .each = {.name = "x"}},
                 set + "each.name = \"x\": the shards are named after the set; set sharded_options::name");
  expect_refusal({.name = "quotes", .shards = 1, .node_local = true},
                 set + "node_local = true: needs the workers' CPUs; name them in cpus");
  expect_refusal({.name = "quotes", .shards = 1, .each = {.memory = {.numa_node = 0}}, .cpus = {0}, .node_local = true},
                 set + "node_local = true: each.memory.numa_node = 0 binds them all to one node; set one of the two");
}

TEST(ShardedOptions, NameACpuThatDoesNotExist) {
  for (const int cpu : {-1, -2, 1'000'000'000}) {
    const sharded_options options{.name = "quotes", .shards = 2, .cpus = {0, cpu}};
    const std::string wrong = "sharded_engine \"quotes\": cpus[1] = " + std::to_string(cpu) + ": no such CPU; ";
    const drive::problem refused = problem_of([&] { sharded_engine set(options); });
    EXPECT_EQ(refused.code, errc::invalid_option);
    EXPECT_TRUE(refused.names(wrong)) << refused.what;
    failure problem;
    EXPECT_EQ(sharded_engine::try_create(options, problem), nullptr);
    EXPECT_EQ(problem, errc::invalid_option);
  }
}

TEST(ShardedOptions, OfAnEngineAreRefusedByTheShard) {
  const drive::problem refused =
      problem_of([] { sharded_engine set({.name = "quotes", .shards = 2, .each = {.tick = duration(0)}}); });
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("engine \"quotes/0\": tick = 0 ns")) << refused.what;
}

TEST(ShardedOptions, GiveEachShardAFileOfItsOwn) {
  test::temporary_directory directory;
  const std::string counters = directory.path() + "/counters", trace = directory.path() + "/trace";
  {
    sharded_engine set(
        {.shards = 2, .each = {.drive = drive_kind::caller, .counters_file = counters, .record = trace}});
    EXPECT_EQ(set.size(), 2u);
  }
  for (const std::string& each : {counters + ".0", counters + ".1", trace + ".0", trace + ".1"})
    EXPECT_TRUE(std::filesystem::exists(each)) << each;
}

// Unlike counters, a recording has no automatic name: "auto" is a file in the working directory.
TEST(ShardedOptions, NumberARecordThatIsCalledAuto) {
  test::temporary_directory directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  EXPECT_NO_THROW(sharded_engine({.shards = 2, .each = {.drive = drive_kind::caller, .record = "auto"}}));
  std::filesystem::current_path(before);
  for (const char* each : {"/auto.0", "/auto.1"}) EXPECT_TRUE(std::filesystem::exists(directory.path() + each)) << each;
}

// The engine packs a recording if its name ends in .gz, and only then.
TEST(ShardedOptions, KeepTheEndOfARecordsNameThatAsksForPacking) {
  test::temporary_directory directory;
  const std::string trace = directory.path() + "/trace";
  {
    sharded_engine set({.shards = 2, .each = {.drive = drive_kind::caller, .record = trace + ".gz"}});
    EXPECT_EQ(set.size(), 2u);
  }
  for (const std::string& each : {trace + ".0.gz", trace + ".1.gz"}) {
    std::ifstream file(each, std::ios::binary);
    EXPECT_EQ(file.get(), 0x1f) << each;
    EXPECT_EQ(file.get(), 0x8b) << each;
  }
}

}  // namespace
}  // namespace detent
