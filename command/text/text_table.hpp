// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace detent::tool {

// The rows of a measurement, in the same order in the terminal and in the report.
class text_table {
 public:
  using row = std::pair<std::string, std::string>;

  void add(std::string name, std::string value) { rows_.emplace_back(std::move(name), std::move(value)); }
  const std::vector<row>& rows() const { return rows_; }
  // Returns two aligned columns, with a line for each row.
  std::string text() const;

 private:
  std::vector<row> rows_;
};

}  // namespace detent::tool
