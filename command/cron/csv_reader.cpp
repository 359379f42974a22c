// SPDX-License-Identifier: MIT
#include "cron/csv_reader.hpp"

#include <algorithm>

namespace detent::tool {

csv_reader::csv_reader(std::string_view text) : rest_(text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";  // a byte-order mark, which some editors write
  if (rest_.starts_with(mark)) rest_.remove_prefix(mark.size());
}

std::optional<csv_row> csv_reader::next() {
  while (skip_line_without_row()) {
  }
  if (rest_.empty()) return std::nullopt;
  csv_row row;
  row.line = line_;
  while (read_field(row)) {
  }
  return row;
}

bool csv_reader::skip_line_without_row() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos) return false;
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return true;
}

bool csv_reader::read_field(csv_row& row) {
  std::string field;
  if (rest_.starts_with('"')) read_quoted(row, field);
  const std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
  std::string_view bare = rest_.substr(0, end);
  if (end == rest_.size() || rest_[end] == '\n') bare = bare.substr(0, bare.find_last_not_of('\r') + 1);
  field += bare;
  const bool more = end < rest_.size() && rest_[end] == ',';
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (!more) ++line_;
  row.fields.push_back(std::move(field));
  return more;
}

void csv_reader::read_quoted(csv_row& row, std::string& field) {
  for (rest_.remove_prefix(1);;) {
    const std::size_t quote = std::min(rest_.find('"'), rest_.size());
    const std::string_view part = rest_.substr(0, quote);
    field += part;
    line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    if (quote == rest_.size()) {
      row.trouble = "a quotation mark has no second one";
      rest_ = {};
      return;
    }
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) return;
    field += '"';
    rest_.remove_prefix(1);
  }
}

}  // namespace detent::tool
