// SPDX-License-Identifier: MIT
#include "top/screen_grid.hpp"

#include <cwchar>

#include <utility>

#include "text/utf8_text.hpp"

namespace detent::tool {

screen_grid::screen_grid(std::size_t width, std::size_t height, bool unicode)
    : width_(width), height_(height), unicode_(unicode), cells_(width * height) {}

std::vector<screen_grid::glyph> screen_grid::glyphs_of(std::string_view text) const {
  std::vector<glyph> glyphs;
  for (const char32_t code : decoded(text)) {
    if (code >= 0x80 && !unicode_) {
      glyphs.push_back({U'?', 1});
      continue;
    }
    const int columns = code < 0x80 ? 1 : ::wcwidth(static_cast<wchar_t>(code));
    // An accent above the previous character would need cells with several characters. -1 means that the locale does
    // not know it.
    if (columns != 0) glyphs.push_back({code, columns == 2 ? std::size_t{2} : std::size_t{1}});
  }
  return glyphs;
}

std::size_t screen_grid::put(std::size_t row, std::size_t column, const std::vector<glyph>& glyphs, text_style style) {
  if (row >= height_) return column;
  for (const glyph& each : glyphs) {
    if (column + each.columns > width_) break;
    cells_[row * width_ + column] = {each.code, style};
    if (each.columns == 2) cells_[row * width_ + column + 1] = {0, style};
    column += each.columns;
  }
  return column;
}

std::size_t screen_grid::put(std::size_t row, std::size_t column, std::string_view text, text_style style) {
  return put(row, column, glyphs_of(text), style);
}

void screen_grid::put_cut(std::size_t row, std::size_t column, std::size_t width, std::vector<glyph> glyphs,
                          text_style style, bool right) {
  std::size_t columns = 0, kept = 0;
  while (kept < glyphs.size() && columns + glyphs[kept].columns <= width) columns += glyphs[kept++].columns;
  if (kept < glyphs.size() && width != 0) {
    while (columns + 1 > width) columns -= glyphs[--kept].columns;
    glyphs.resize(kept);
    glyphs.push_back({U'+', 1});
    ++columns;
  }
  put(row, right ? column + width - columns : column, glyphs, style);
}

void screen_grid::put_left(std::size_t row, std::size_t column, std::size_t width, std::string_view text,
                           text_style style) {
  put_cut(row, column, width, glyphs_of(text), style, false);
}

void screen_grid::put_right(std::size_t row, std::size_t column, std::size_t width, std::string_view text,
                            text_style style) {
  put_cut(row, column, width, glyphs_of(text), style, true);
}

void screen_grid::style_row(std::size_t row, text_style style) {
  if (row >= height_) return;
  for (std::size_t column = 0; column < width_; ++column) cells_[row * width_ + column].style = style;
}

std::string screen_grid::row_text(std::size_t row) const {
  std::string text;
  for (std::size_t column = 0; column < width_; ++column) {
    if (const char32_t code = at(row, column).glyph; code != 0) append_utf8(text, code);
  }
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

std::string screen_grid::text() const {
  std::string text;
  for (std::size_t row = 0; row < height_; ++row) text += row_text(row) + "\n";
  const std::size_t last = text.find_last_not_of('\n');
  text.resize(last == std::string::npos ? 0 : last + 2);
  return text;
}

}  // namespace detent::tool
