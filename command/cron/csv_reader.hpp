// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

struct csv_row {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
  const char* trouble = nullptr;  // why it cannot be read; null: it can
};

// Comma-separated values as RFC 4180 has them. Blank lines and lines that begin with `#` are no rows.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text);

  std::optional<csv_row> next();  // none: the end

 private:
  bool skip_line_without_row();
  // One field; true if another one follows in the row.
  bool read_field(csv_row& row);
  void read_quoted(csv_row& row, std::string& field);

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace detent::tool
