// SPDX-License-Identifier: MIT
// Texts that people type and read: values of options, names that others chose, short numbers.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "text/base64.hpp"
#include "text/compact_units.hpp"
#include "text/html_text.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"
#include "text/utf8_text.hpp"

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

TEST(OptionValues, ReadsTimesWithTheirUnitsAndRefusesThoseItCannotKeep) {
  EXPECT_EQ(time_span("--x", "250us", nullptr), microseconds(250));
  EXPECT_EQ(time_span("--x", "1.5ms", nullptr), microseconds(1500));
  EXPECT_EQ(time_span("--x", "7ns", nullptr), duration(7));
  EXPECT_EQ(time_span("--x", "2", "s"), milliseconds(2000));
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

TEST(PrintableText, EscapesWhatMovesACursorOrIsNoUtf8AndKeepsTheRest) {
  for (const char* text : {"", "orders.retry 7", "Größe", "日本", "\u05d0\u05d1", "\U0001f552", "\u00a0"})
    EXPECT_EQ(printable(text), text);
  for (const auto& [text, shown] : {std::pair{"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f"},
                                    {"\u0085\u009f", "\\xc2\\x85\\xc2\\x9f"},  // control characters of two bytes
                                    {"a\u202eb", "a\\xe2\\x80\\xaeb"},         // reverses the rest of the line
                                    {"\u2066\u200f", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f"},
                                    {"\u2028", "\\xe2\\x80\\xa8"},  // a new line
                                    {"\xff", "\\xff"},
                                    {"Gr\xc3", "Gr\\xc3"},                         // cut short
                                    {"\xc3z", "\\xc3z"},                           // a continuation byte is missing
                                    {"\xc0\x8a", "\\xc0\\x8a"},                    // an overlong newline
                                    {"\xe0\x80\x8a", "\\xe0\\x80\\x8a"},           // the same in three bytes
                                    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
                                    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond the last character
                                    {"\x80", "\\x80"}})
    EXPECT_EQ(printable(text), shown);
  EXPECT_NE(printable("\n"), printable("\\x0a"));
}

TEST(PrintableText, CanBeTypedBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text : {std::string(), all, std::string("a\\b \\x5c"), std::string("\xc2\xb5s \xf0\x9f")})
    EXPECT_EQ(bytes_of(printable(text)), text);
  EXPECT_EQ(bytes_of("a\\\\x41\\x41"), "a\\x41A");
  for (const char* const wrong : {"\\", "a\\b", "\\x", "\\x4", "\\xg0", "\\x+1", "\\n"})
    EXPECT_FALSE(bytes_of(wrong)) << wrong;
}

TEST(Base64, IsThatOfTheStandard) {  // RFC 4648, 10
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"\xff\xfe\xfd", "//79"}}) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(bytes_of_base64(text), bytes);
  }
  for (const char* const wrong : {"Z", "Zg", "Zg=", "Zh==", "Zm9vY===", "=", "====", "Zm 9", "Zm9\n", "Zg==Zg=="})
    EXPECT_FALSE(bytes_of_base64(wrong)) << wrong;
}

TEST(OptionValues, TakeSpansOfDays) {
  using namespace std::chrono_literals;
  for (const auto& [text, span] : {std::pair<const char*, std::chrono::microseconds>("2h", 2h),
                                   {"+90s", 90s},
                                   {"-1.5d", -36h},
                                   {"15min", 15min},
                                   {"250ms", 250ms},
                                   {"0us", 0us}})
    EXPECT_EQ(signed_span("--by", text), span) << text;
  for (const char* const wrong : {"", "h", "2", "2m", "1h30min", "+-2h", "--2h", "inf s", "nand", "1e9d", "2 h"})
    EXPECT_THROW(signed_span("--by", wrong), usage_error) << wrong;
}

TEST(HtmlText, KeepsWhatIsText) {
  EXPECT_EQ(html_escaped("a\nb\tc \xc2\xb5s"), "a\nb\tc \xc2\xb5s");
  EXPECT_EQ(html_escaped("a\xe2\x80\xae"
                         "b\x7f"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

TEST(CompactUnits, NeverTakeMoreThanTheirColumn) {
  for (double ns = 0.3; ns < 8e16; ns *= 1.0137) {
    EXPECT_LE(compact_time(ns).size(), 5U) << ns;
    EXPECT_LE(compact_time(ns, 3).size(), 6U) << ns;
  }
  for (double count = 0.01; count < 1.8e19; count *= 1.0137) EXPECT_LE(compact_count(count).size(), 5U) << count;
  for (const auto& [count, shown] : {std::pair{0.0, "0"},
                                     {0.42, "0.4"},
                                     {3.0, "3"},
                                     {9.97, "10"},
                                     {999.7, "1.00k"},
                                     {12'345.0, "12.3k"},
                                     {123'456'789.0, "123M"}})
    EXPECT_EQ(compact_count(count), shown);
}

TEST(Utf8Text, SurvivesBytesThatAreNone) {
  EXPECT_EQ(decoded("aß名😀"), U"aß名😀");
  EXPECT_EQ(decoded("\xff\xc3"), U"\xfffd\xfffd");
  std::string text;
  for (const char32_t each : U"aß名😀") append_utf8(text, each);
  EXPECT_EQ(text, std::string("aß名😀", 10) + '\0');
}

}  // namespace
}  // namespace detent::tool
