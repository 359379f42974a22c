// SPDX-License-Identifier: MIT
// A screen of characters, drawn in memory: what a terminal is to show, without a terminal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

enum class text_style : std::uint8_t {
  plain,
  strong,
  quiet,
  heading,
  sorted,    // the heading of the column that sorts the rows
  selected,  // the selected row
  alarm,
  bar,
  curve
};

struct screen_cell {
  char32_t glyph = U' ';  // 0 for the right half of a wide character
  text_style style = text_style::plain;
};

class screen_grid {
 public:
  // `unicode` says that the terminal can show it. Otherwise characters that are not ASCII become '?'.
  screen_grid(std::size_t width, std::size_t height, bool unicode);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  bool unicode() const { return unicode_; }

  // Writes UTF-8 text from this column on and cuts it at the right edge. Returns the column after it. Rows and columns
  // outside the screen are allowed; nothing is written there.
  std::size_t put(std::size_t row, std::size_t column, std::string_view text, text_style style = text_style::plain);
  // Does the same within `width` columns; a longer text ends with '+'.
  void put_left(std::size_t row, std::size_t column, std::size_t width, std::string_view text,
                text_style style = text_style::plain);
  void put_right(std::size_t row, std::size_t column, std::size_t width, std::string_view text,
                 text_style style = text_style::plain);
  void style_row(std::size_t row, text_style style);

  const screen_cell& at(std::size_t row, std::size_t column) const { return cells_[row * width_ + column]; }
  // Returns UTF-8 without the spaces at the end.
  std::string row_text(std::size_t row) const;
  // Returns all rows as lines, without empty ones at the end.
  std::string text() const;

 private:
  struct glyph {
    char32_t code;
    std::size_t columns;
  };
  std::vector<glyph> glyphs_of(std::string_view text) const;
  std::size_t put(std::size_t row, std::size_t column, const std::vector<glyph>& glyphs, text_style style);
  void put_cut(std::size_t row, std::size_t column, std::size_t width, std::vector<glyph> glyphs, text_style style,
               bool right);

  std::size_t width_, height_;
  bool unicode_;
  std::vector<screen_cell> cells_;
};

}  // namespace detent::tool
