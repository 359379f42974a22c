// SPDX-License-Identifier: MIT
// The parts of the screen of `detent top`: files that are read once, lines of bars, the CPU time of a thread.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/thread_cpu.hpp"
#include "support/counters_image.hpp"
#include "support/temporary_directory.hpp"
#include "top/spark_line.hpp"
#include "top/top_source.hpp"

namespace detent::tool {
namespace {

TEST(TopSource, ReadsAFileOnceHoweverManyNamesItHas) {
  const test::temporary_directory directory;
  test::counters_image image;
  const std::string own = "detent." + std::to_string(::getpid()) + ".";
  const std::string first = directory.write(own + "1", image.bytes()), link = directory.path() + "/" + own + "2";
  std::filesystem::create_hard_link(first, link);
  EXPECT_EQ(top_source({}, directory.path()).read().engines.size(), 1U);
  EXPECT_EQ(top_source({first, link}).read().engines.size(), 1U);
  directory.write(own + "3", image.bytes());
  EXPECT_EQ(top_source({}, directory.path()).read().engines.size(), 2U);
}

TEST(SparkLine, DoesNotMakeATowerOfNoise) {
  const std::vector<std::optional<double>> times = {1'000, 1'050};
  EXPECT_EQ(spark_line(times, scale_for(times), 2, true), "▄▅");
  EXPECT_EQ(spark_line(times, scale_for({}), 1, true), "█");  // beyond the scale
}

TEST(ThreadCpu, IsReadFromTheHostAndMayBeMissing) {
  const test::temporary_directory directory;
  directory.write("proc/7/task/8/stat", "8 (a) b) R 1 2 3 4 5 6 7 8 9 10 150 50 0 0\n");
  directory.write("proc/7/task/9/stat", "9 (short) R 1\n");
  const host_files host(directory.path());
  EXPECT_EQ(thread_cpu(7, 8, host), 2'000'000'000);
  EXPECT_FALSE(thread_cpu(7, 9, host).has_value());
  EXPECT_FALSE(thread_cpu(7, 10, host).has_value());
}

}  // namespace
}  // namespace detent::tool
