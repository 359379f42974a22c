// SPDX-License-Identifier: MIT
// Small pieces of HTML for the parts of the page. Arguments called `html` are HTML already; all others are text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"

namespace detent::tool {

// Escapes a name that others have chosen, and keeps it from turning the direction of the text beside it.
std::string foreign(std::string_view text);
// Returns a value for the query of an address: letters and digits unchanged, any other byte as %XX.
std::string url_escaped(std::string_view bytes);
std::string time_html(double ns);           // digits and unit in separate elements, so that columns line up
std::string rate_html(double per_second);   // "0", "0.3", "1,234"
std::uint64_t rounded_count(double count);  // for counters that may be forged: limited to the result's range
// Sets the count apart from the others, because it should be zero.
std::string count_html(std::uint64_t count, severity judged);
std::string badge(severity judged);
// Returns "1 h", "5 min", "1 min 40 s", "30 s".
std::string span_text(double seconds);
std::string paragraph(std::string_view kind, std::string_view html);
std::string heading(std::string_view id, std::string_view html);
// Hides the contents below one line, `text`, which opens them. An update of the page finds them by the id.
std::string folded(std::string_view id, std::string_view text, std::string_view html);

struct html_column {
  std::string head;
  const char* kind = "";     // its CSS class
  std::string hint = {};     // a longer text for the head
  std::string address = {};  // the HTML address that the head links to, or empty
  const char* sorted = "";   // or "ascending" or "descending" if the rows are sorted by this column
};

// A table in which the first cell of each row is its heading. On narrow screens, each cell shows the head of its
// column.
class html_table {
 public:
  enum class head_line : std::uint8_t { shown, for_readers };  // for_readers: only for screen readers

  // `caption` is for screen readers too. Columns are text.
  html_table(std::string_view kind, std::string_view caption, std::vector<html_column> columns);

  // Takes as many cells as there are columns, each as HTML.
  void row(std::string_view id, const std::vector<std::string>& cells, std::string_view kind = "");
  // Adds a row of one cell that spans all columns.
  void wide_row(std::string_view id, std::string_view html);
  std::string str(head_line head = head_line::shown) const;

 private:
  std::string kind_, caption_;
  std::vector<html_column> columns_;
  std::string rows_;
};

}  // namespace detent::tool
