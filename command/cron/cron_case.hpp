// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cron/csv_reader.hpp"
#include "cron/schedule_words.hpp"
#include "cron/zoned_time.hpp"

namespace detent::tool {

// A row of a file of cases: an expression, and the times that it should give.
struct cron_case {
  schedule_words words;
  wall_time from;
  std::vector<zoned_time> expected;  // the first ones after `from`
  bool ends = false;                 // `none` or `never`: no times come after these
  bool refused = false;              // `error`: the expression or its zone must be refused
  std::string expected_text, source;
};

// Which column of a file holds which field. The header names them; without a header, they are in the order of the
// documentation.
class case_columns {
 public:
  case_columns();

  // Takes the row for the header if it names columns. Throws input_error if it lacks a column that each case needs.
  bool take_header(const csv_row& row);
  // Throws input_error, whose text lacks the file's name and the line.
  cron_case read(const csv_row& row) const;

 private:
  std::string text(const csv_row& row, std::size_t column) const;

  std::vector<std::optional<std::size_t>> places_;  // in the order of the documentation
  std::size_t width_;
};

}  // namespace detent::tool
