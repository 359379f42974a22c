// SPDX-License-Identifier: MIT
// What the screen of `detent top` is made of: short numbers, lines of bars, the CPU time of a thread.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "host/thread_cpu.hpp"
#include "support/temporary_directory.hpp"
#include "text/compact_units.hpp"
#include "text/utf8_text.hpp"
#include "top/spark_line.hpp"

namespace detent::tool {
namespace {

TEST(CompactTime, NeverTakesMoreThanItsColumn) {
  for (double ns = 0.3; ns < 8e16; ns *= 1.0137) {
    EXPECT_LE(compact_time(ns).size(), 5U) << ns;
    EXPECT_LE(compact_time(ns, 3).size(), 6U) << ns;
  }
}

TEST(CompactCount, HasThreeDigitsAndTheUnitThatFits) {
  EXPECT_EQ(compact_count(0), "0");
  EXPECT_EQ(compact_count(0.42), "0.4");
  EXPECT_EQ(compact_count(3), "3");
  EXPECT_EQ(compact_count(9.97), "10");
  EXPECT_EQ(compact_count(999.7), "1.00k");
  EXPECT_EQ(compact_count(12'345), "12.3k");
  EXPECT_EQ(compact_count(123'456'789), "123M");
  for (double count = 0.01; count < 1.8e19; count *= 1.0137) EXPECT_LE(compact_count(count).size(), 5U) << count;
}

TEST(SparkLine, DoesNotMakeATowerOfNoise) {
  const std::vector<std::optional<double>> times = {1'000, 1'050};
  EXPECT_EQ(spark_line(times, scale_for(times), 2, true), "▄▅");
  EXPECT_EQ(spark_line(times, scale_for({}), 1, true), "█");  // beyond the scale
}

TEST(Utf8Text, SurvivesBytesThatAreNone) {
  EXPECT_EQ(decoded("aß名😀"), U"aß名😀");
  EXPECT_EQ(decoded("\xff\xc3"), U"\xfffd\xfffd");
  std::string text;
  for (const char32_t each : U"aß名😀") append_utf8(text, each);
  EXPECT_EQ(text, std::string("aß名😀", 10) + '\0');
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
