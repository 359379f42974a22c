// SPDX-License-Identifier: MIT
#include "text/column_table.hpp"

#include <algorithm>
#include <cstddef>

namespace detent::tool {
namespace {

// Counts UTF-8 characters, each as one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string column_table::text() const {
  std::vector<std::size_t> widths(sides_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      line += "  " + (sides_[i] == side::left ? row[i] + space : space + row[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace detent::tool
