// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

// Rows of cells. Each column is as wide as its widest cell.
class column_table {
 public:
  enum class side : std::uint8_t { left, right };

  explicit column_table(std::vector<side> sides) : sides_(std::move(sides)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }  // cells at the end may be missing
  // Returns the rows as lines, indented by two spaces.
  std::string text() const;

 private:
  std::vector<side> sides_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace detent::tool
