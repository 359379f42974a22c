// SPDX-License-Identifier: MIT
// The writer by itself: its buffer holds the longest row with the most losses.
#include "../src/trace_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "support/random_source.hpp"
#include "support/recorded_trace.hpp"

namespace detent::detail {
namespace {

using testing::recorded_trace;
using testing::recording_place;

// A writer with a guard after its buffer.
struct guarded_writer {
  trace_file file;
  trace_writer rows{file, 0, tick_grid(1)};
  std::array<char, 256> guard{};

  explicit guarded_writer(const std::string& path) {
    std::string why;
    EXPECT_EQ(file.open(path, "e", why), errc{}) << why;
    EXPECT_EQ(file.begin(why), errc{}) << why;
  }
  bool is_intact() const {
    return std::all_of(guard.begin(), guard.end(), [](char each) { return each == 0; });
  }
};

TEST(TraceWriter, HasRoomForALossAfterEachRow) {
  recording_place place;
  auto writer = std::make_unique<guarded_writer>(place.path());
  test::random_source random(5);
  constexpr nanoseconds_t now = INT64_MAX / 2;
  constexpr std::uint32_t rows = 100'000;
  constexpr std::uint64_t id = std::uint64_t{0x7fffff0} << 32 | 3;  // the greatest possible name of a timer
  constexpr std::uint64_t lost = 10'000'000'000'000'000'000U;
  // Most rows have the greatest length, so the buffer ends within each part of a row.
  for (std::uint32_t i = 0; i < rows; ++i) {
    const nanoseconds_t deadline = random.between(0, 3) == 0 ? now : INT64_MAX - 1;
    writer->rows.add({.at = now, .deadline = deadline, .id = id, .kind = operation_kind::schedule}, lost);
    ASSERT_TRUE(writer->is_intact()) << i;
  }
  writer->rows.flush();
  writer->file.close(0);
  const auto trace = recorded_trace::of_file(place.path());
  EXPECT_EQ(trace.rows.size(), rows);
  EXPECT_EQ(trace.dropped, rows * lost);
}

TEST(TraceWriter, HasRoomForAnyNumberOfLossesInARow) {
  recording_place place;
  auto writer = std::make_unique<guarded_writer>(place.path());
  for (int i = 0; i < 20'000; ++i) {
    writer->rows.add({.kind = operation_kind::nothing}, 7);
    ASSERT_TRUE(writer->is_intact()) << i;
  }
  writer->rows.flush();
  writer->file.close(0);
  EXPECT_EQ(recorded_trace::of_file(place.path()).dropped, 140'000u);
}

}  // namespace
}  // namespace detent::detail
