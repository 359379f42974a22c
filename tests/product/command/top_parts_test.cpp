// SPDX-License-Identifier: MIT
// What the screen of `detent top` is made of: short numbers, lines of bars, cells, the CPU time of a thread.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "host/thread_cpu.hpp"
#include "support/temporary_directory.hpp"
#include "text/compact_units.hpp"
#include "text/utf8_text.hpp"
#include "top/screen_grid.hpp"
#include "top/spark_line.hpp"

namespace detent::tool {
namespace {

TEST(CompactTime, HasTheDigitsAskedForAndTheUnitThatFits) {
  EXPECT_EQ(compact_time(0), "0");
  EXPECT_EQ(compact_time(7), "7ns");
  EXPECT_EQ(compact_time(999), "999ns");
  EXPECT_EQ(compact_time(999.6), "1.0us");
  EXPECT_EQ(compact_time(1'250, 3), "1.25us");
  EXPECT_EQ(compact_time(9'960), "10us");
  EXPECT_EQ(compact_time(9'996, 3), "10.0us");
  EXPECT_EQ(compact_time(12'340, 3), "12.3us");
  EXPECT_EQ(compact_time(999'600), "1.0ms");
  EXPECT_EQ(compact_time(1.5e9), "1.5s");
  EXPECT_EQ(compact_time(59.7e9), "1.0m");
  EXPECT_EQ(compact_time(9e12), "2.5h");
  EXPECT_EQ(compact_time(8.64e14), "10d");
}

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

TEST(SparkLine, IsLogarithmicAndHasGaps) {
  const std::vector<std::optional<double>> times = {100, 1'000, std::nullopt, 10'000};
  const spark_scale scale = scale_for(times);
  EXPECT_DOUBLE_EQ(scale.least, 100);
  EXPECT_DOUBLE_EQ(scale.most, 10'000);
  EXPECT_EQ(spark_line(times, scale, 4, true), "▁▅ █");
  EXPECT_EQ(spark_line(times, scale, 6, false), "  _= #");
  EXPECT_EQ(spark_line(times, scale, 2, true), " █");
}

TEST(SparkLine, DoesNotMakeATowerOfNoise) {
  const std::vector<std::optional<double>> times = {1'000, 1'050};
  EXPECT_EQ(spark_line(times, scale_for(times), 2, true), "▄▅");
  EXPECT_EQ(spark_line(times, scale_for({}), 1, true), "█");  // beyond the scale
}

TEST(ScreenGrid, CutsAtTheEdgesAndMarksWhatIsCut) {
  screen_grid grid(8, 2, true);
  EXPECT_EQ(grid.put(0, 5, "abcdef"), 8U);
  EXPECT_EQ(grid.row_text(0), "     abc");
  grid.put(7, 0, "nowhere");
  grid.put_left(1, 0, 4, "abcdef", text_style::strong);
  grid.put_right(1, 4, 4, "xy");
  EXPECT_EQ(grid.row_text(1), "abc+  xy");
  EXPECT_EQ(grid.at(1, 0).style, text_style::strong);
  EXPECT_EQ(grid.text(), "     abc\nabc+  xy\n");
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
