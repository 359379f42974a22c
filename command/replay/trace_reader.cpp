// SPDX-License-Identifier: MIT
#include "replay/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

enum field : std::size_t { t_ns, op, id, delay_ns, source, field_count };
constexpr std::array<std::string_view, field_count> field_names = {"t_ns", "op", "id", "delay_ns", "source"};

std::size_t field_at_end_of(std::string_view partial_line) {
  const auto commas = static_cast<std::size_t>(std::count(partial_line.begin(), partial_line.end(), ','));
  return std::min<std::size_t>(commas, source);
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

}  // namespace

trace_reader::trace_reader(std::string path) : path_(std::move(path)), lines_(path_) {
  std::string_view first;
  if (!next_line(first)) refuse(t_ns, fmt::format("the file is empty; it must begin with the header {}", header));
  if (first == header) return;
  std::size_t differs = t_ns;
  for (std::size_t i = 0; i < std::min(first.size(), header.size()) && first[i] == header[i]; ++i)
    differs += header[i] == ',' ? 1U : 0U;
  refuse(differs, fmt::format("the first line must be the header {}, not {}", header, in_quotes(first)));
}

void trace_reader::refuse(std::size_t field, const std::string& reason) const {
  throw input_error(
      fmt::format("{}:{}: field '{}': {}", printable(path_), lines_.line_number(), field_names[field], reason));
}

bool trace_reader::next_line(std::string_view& line) {
  try {
    const auto found = lines_.next();
    if (found) line = *found;
    return found.has_value();
  } catch (const stream_error& trouble) {
    refuse(field_at_end_of(lines_.partial()), trouble.what());
  }
}

bool trace_reader::next(trace_row& row) {
  std::string_view line;
  do {
    if (!next_line(line)) return false;
    if (line.starts_with('#')) take_comment(line);
  } while (line.starts_with('#'));
  parse(line, row);
  if (row.t_ns < last_t_) refuse(t_ns, fmt::format("time runs backwards: {} after {}", row.t_ns, last_t_));
  last_t_ = row.t_ns;
  return true;
}

void trace_reader::take_comment(std::string_view line) {
  constexpr std::string_view loss = "# dropped ";
  if (!line.starts_with(loss)) return;
  const std::uint64_t more = number(t_ns, line.substr(loss.size()));
  dropped_ = dropped_ + more < more ? std::numeric_limits<std::uint64_t>::max() : dropped_ + more;
}

void trace_reader::parse(std::string_view line, trace_row& row) const {
  std::array<std::string_view, field_count> fields;
  std::string_view rest = line;
  for (std::size_t i = 0; i < field_count; ++i) {
    const std::size_t comma = rest.find(',');
    const bool last = i == source;
    if (!last && comma == std::string_view::npos) {
      fields[i] = rest;
      if (i == t_ns)
        static_cast<void>(number(t_ns, rest));  // a line of junk is first reported as not beginning with a time
      refuse(i + 1, fmt::format("missing: the row ends after '{}'", field_names[i]));
    }
    if (last && comma != std::string_view::npos)
      refuse(source, fmt::format("more fields follow it: {}", in_quotes(rest)));
    fields[i] = rest.substr(0, comma);
    if (!last) rest.remove_prefix(comma + 1);
  }

  row.t_ns = number(t_ns, fields[t_ns]);
  constexpr std::string_view letters = "SRCX";
  const std::size_t letter = fields[op].size() == 1 ? letters.find(fields[op][0]) : std::string_view::npos;
  if (letter == std::string_view::npos) refuse(op, fmt::format("must be S, R, C or X, not {}", in_quotes(fields[op])));
  row.op = static_cast<trace_op>(letter);
  row.id = number(id, fields[id]);
  const bool arms = row.op == trace_op::schedule || row.op == trace_op::restart;
  row.delay_ns = !arms && fields[delay_ns].empty() ? 0 : number(delay_ns, fields[delay_ns]);
  if (has_control_character(fields[source]))
    refuse(source, fmt::format("holds control characters: {}", in_quotes(fields[source])));
}

std::uint64_t trace_reader::number(std::size_t field, std::string_view text) const {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, trouble] = std::from_chars(text.data(), end, value);
  if (trouble == std::errc() && stopped == end) return value;
  if (text.empty()) refuse(field, "is empty where a number must stand");
  if (trouble == std::errc::result_out_of_range && stopped == end) {
    refuse(field, fmt::format("{} is out of range: at most 2^64 - 1", in_quotes(text)));
  }
  const bool negative =
      text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
  refuse(field, fmt::format("{} is {}", in_quotes(text), negative ? "negative" : "not a whole number"));
}

}  // namespace detent::tool
