// SPDX-License-Identifier: MIT
#include "text/printable_text.hpp"

#include <gtest/gtest.h>

namespace detent::tool {
namespace {

TEST(PrintableText, KeepsWhatCanBeShown) {
  for (const char* text : {"", "orders.retry 7", "Größe", "日本", "\U0001f552", "\u00a0"})
    EXPECT_EQ(printable(text), text);
}

TEST(PrintableText, EscapesWhatMovesACursor) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\u0085\u009f"), "\\xc2\\x85\\xc2\\x9f");  // control characters of two bytes
}

TEST(PrintableText, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("Gr\xc3"), "Gr\\xc3");                         // cut
  EXPECT_EQ(printable("\xc3z"), "\\xc3z");                           // no continuation
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");                    // a newline, overlong
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");           // the same in three bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // past the last character
  EXPECT_EQ(printable("\x80"), "\\x80");
}

TEST(PrintableText, TextsThatDifferStayDifferent) { EXPECT_NE(printable("\n"), printable("\\x0a")); }

}  // namespace
}  // namespace detent::tool
