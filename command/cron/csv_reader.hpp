// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

struct csv_row {
  std::size_t line = 0;  // the line where it begins, from 1
  std::vector<std::string> fields;
  const char* trouble = nullptr;  // the reason if it cannot be read, otherwise null
};

// Reads comma-separated values by RFC 4180. Blank lines and lines that begin with `#` are not rows.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text);

  std::optional<csv_row> next();  // returns nothing at the end

 private:
  bool skip_line_without_row();
  // Reads one field. Returns true if another one follows in the row.
  bool read_field(csv_row& row);
  void read_quoted(csv_row& row, std::string& field);

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace detent::tool
