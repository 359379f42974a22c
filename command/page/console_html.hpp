// SPDX-License-Identifier: MIT
// Small pieces of HTML for the parts of the page. Arguments called `html` are HTML already; all others are text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"

namespace detent::tool {

// A name that others chose: escaped, and kept from turning the direction of what stands beside it.
std::string foreign(std::string_view text);
// A value in the query of an address: letters and digits as they are, any other byte as %XX.
std::string url_escaped(std::string_view bytes);
std::string time_html(double ns);           // digits and unit apart, so that a column of them lines up
std::string rate_html(double per_second);   // "0", "0.3", "1,234"
std::uint64_t rounded_count(double count);  // of counters that may be forged: clamped to the range of the result
// Set apart, as it should be none.
std::string count_html(std::uint64_t count, severity judged);
std::string badge(severity judged);
// "1 h", "5 min", "1 min 40 s", "30 s".
std::string span_text(double seconds);
std::string paragraph(std::string_view kind, std::string_view html);
std::string heading(std::string_view id, std::string_view html);
// Below one line, `text`, on which it opens. An update of the page finds it by its id.
std::string folded(std::string_view id, std::string_view text, std::string_view html);

struct html_column {
  std::string head;
  const char* kind = "";     // its CSS class
  std::string hint = {};     // longer words for the head
  std::string address = {};  // that the head leads to, HTML; empty: it is no link
  const char* sorted = "";   // or "ascending", "descending": the rows are, by this column
};

// The first cell of a row is its heading. On narrow screens each cell shows the head of its column.
class html_table {
 public:
  enum class head_line : std::uint8_t { shown, for_readers };  // for_readers: for those that cannot see it

  // `caption` is for them too. Columns are text.
  html_table(std::string_view kind, std::string_view caption, std::vector<html_column> columns);

  // As many cells as columns, each HTML.
  void row(std::string_view id, const std::vector<std::string>& cells, std::string_view kind = "");
  // One cell, as wide as all of them.
  void wide_row(std::string_view id, std::string_view html);
  std::string str(head_line head = head_line::shown) const;

 private:
  std::string kind_, caption_;
  std::vector<html_column> columns_;
  std::string rows_;
};

}  // namespace detent::tool
