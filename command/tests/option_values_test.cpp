// SPDX-License-Identifier: MIT
#include "text/option_values.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace detent::tool {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

template <class Read>
std::string complaint(Read read) {
  try {
    static_cast<void>(read());
  } catch (const usage_error& trouble) {
    return trouble.what();
  }
  return "accepted";
}

TEST(OptionValues, ReadsTimesWithTheirUnits) {
  EXPECT_EQ(time_span("--x", "250us", nullptr), microseconds(250));
  EXPECT_EQ(time_span("--x", "1.5ms", nullptr), microseconds(1500));
  EXPECT_EQ(time_span("--x", "7ns", nullptr), duration(7));
  EXPECT_EQ(time_span("--x", "2", "s"), milliseconds(2000));
}

TEST(OptionValues, RefusesTimesItCannotKeep) {
  for (const char* text : {"", "5", "ms", "-1ms", "1m", "1 ms", "nan", "inf", "1e30s", "0x10ms"}) {
    EXPECT_EQ(complaint([&] { return time_span("--x", text, nullptr); }),
              std::string("--x: '") + text + "' is not a time such as 250us, 10ms or 1.5s");
  }
}

TEST(OptionValues, ReadsRanges) {
  EXPECT_EQ(span_range("--delay", "1ms..2ms").least, milliseconds(1));
  EXPECT_EQ(span_range("--delay", "1ms..2ms").most, milliseconds(2));
  EXPECT_EQ(span_range("--delay", "3ms").most, milliseconds(3));
  EXPECT_NE(complaint([] { return span_range("--delay", "2ms..1ms"); }).find("'2ms..1ms'"), std::string::npos);
  EXPECT_NE(complaint([] { return span_range("--delay", "1ms.."); }), "accepted");
}

}  // namespace
}  // namespace detent::tool
