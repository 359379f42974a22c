// SPDX-License-Identifier: MIT
#include "wire/line_splitter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t longest = 10;

// What comes out of pieces; "!" stands for a line that was too long.
std::vector<std::string> lines_of(const std::vector<std::string>& pieces) {
  wire::line_splitter splitter(longest);
  std::vector<std::string> lines;
  for (const std::string& piece : pieces) {
    splitter.feed(
        piece, [&](std::string_view line) { lines.emplace_back(line); }, [&] { lines.emplace_back("!"); });
  }
  return lines;
}

using expected = std::vector<std::string>;

TEST(GatewayLineSplitter, GivesEachLineOfAPiece) { EXPECT_EQ(lines_of({"one\ntwo\nthree"}), expected({"one", "two"})); }

TEST(GatewayLineSplitter, PutsTogetherWhatComesInPieces) {
  EXPECT_EQ(lines_of({"o", "n", "e\ntw", "o\n", "three", "\n"}), expected({"one", "two", "three"}));
}

TEST(GatewayLineSplitter, GivesTheSameWhereverAStreamIsCut) {
  const std::string stream = "a\n\nbcdefghij\nabcdefghijk\nx\r\n\r\nlast\n";
  const expected whole = lines_of({stream});
  EXPECT_EQ(whole, expected({"a", "bcdefghij", "!", "x", "last"}));
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      EXPECT_EQ(lines_of({stream.substr(0, first), stream.substr(first, second - first), stream.substr(second)}), whole)
          << first << ", " << second;
    }
  }
}

TEST(GatewayLineSplitter, TakesALineThatIsJustShortEnough) {
  EXPECT_EQ(lines_of({std::string(longest, 'x') + "\n"}), expected({std::string(longest, 'x')}));
}

TEST(GatewayLineSplitter, TellsOnceOfALineWithoutEndAndGoesOnBehindIt) {
  std::vector<std::string> pieces(1000, "xxxx");
  pieces.push_back("\nafter\n");
  EXPECT_EQ(lines_of(pieces), expected({"!", "after"}));
}

}  // namespace
