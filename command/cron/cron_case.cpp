// SPDX-License-Identifier: MIT
#include "cron/cron_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

enum column : std::size_t { expression, dialect, zone, gap, overlap, from, expected, source };
constexpr std::array<std::string_view, 8> names = {"expression", "dialect", "zone",     "gap",
                                                   "overlap",    "from",    "expected", "source"};

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// `-` and `default` are words for the default.
std::string word(std::string_view name, std::string text, bool (*known)(std::string_view), std::string_view choices) {
  text = lower(std::move(text));
  if (text == "-" || text == "default") text.clear();
  if (!known(text)) throw input_error(fmt::format("{} {} is not {}", name, in_quotes(text), choices));
  return text;
}

bool is_refusal(const std::string& text) {
  constexpr std::array<std::string_view, 5> words = {"error", "invalid", "refuse", "reject", "unknown"};
  return std::any_of(words.begin(), words.end(), [&text](std::string_view each) { return text.starts_with(each); });
}

// Splits the text at blanks, `;`, `|` and `,`. A date and the time of day that follows it stay together.
std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view between = " \t\r\n;|,";
  std::vector<std::string> words;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(between, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
    const std::string_view each = text.substr(begin, end - begin);
    const bool is_time_of_day = each.size() > 2 && each[2] == ':';
    if (is_time_of_day && !words.empty() && words.back().size() == std::string_view("2024-03-10").size()) {
      words.back() += fmt::format("T{}", each);
    } else {
      words.emplace_back(each);
    }
    begin = end;
  }
  return words;
}

void read_expected(cron_case& of) {
  const std::string whole = lower(of.expected_text);
  of.refused = is_refusal(whole);
  of.ends = whole.starts_with("never");
  if (of.refused || of.ends) return;
  for (const std::string& each : words_of(of.expected_text)) {
    const std::string as_word = lower(each);
    const auto time = read_time(each);
    if (of.ends) throw input_error(fmt::format("expected: {} stands after the end", in_quotes(each)));
    if (as_word == "none" || as_word == "null") {
      of.ends = true;
    } else if (time) {
      of.expected.push_back(*time);
    } else {
      throw input_error(
          fmt::format("expected: {} is not a time such as 2024-03-08T14:30:00Z, none or error", in_quotes(each)));
    }
  }
  if (of.expected.empty() && !of.ends) throw input_error("expected is empty: times, none or error");
}

}  // namespace

case_columns::case_columns() : places_(names.size()), width_(names.size()) {
  for (std::size_t i = 0; i < names.size(); ++i) places_[i] = i;
}

bool case_columns::take_header(const csv_row& row) {
  std::vector<std::optional<std::size_t>> places(names.size());
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const auto name = std::find(names.begin(), names.end(), lower(trimmed(row.fields[i])));
    if (name != names.end()) places[static_cast<std::size_t>(name - names.begin())] = i;
  }
  if (std::none_of(places.begin(), places.end(), [](auto place) { return place.has_value(); })) return false;
  for (const column needed : {expression, from, expected}) {
    if (!places[needed]) throw input_error(fmt::format("the header has no column {}", names[needed]));
  }
  places_ = std::move(places);
  width_ = row.fields.size();
  return true;
}

std::string case_columns::text(const csv_row& row, std::size_t which) const {
  const auto place = places_[which];
  return place && *place < row.fields.size() ? trimmed(row.fields[*place]) : std::string();
}

cron_case case_columns::read(const csv_row& row) const {
  if (row.trouble != nullptr) throw input_error(row.trouble);
  if (row.fields.size() != width_) {
    throw input_error(fmt::format("{} fields, and not {}", row.fields.size(), width_));
  }
  cron_case all;
  const auto place = places_[expression];
  all.words.expression = place ? row.fields[*place] : std::string();
  all.words.dialect =
      text(row, dialect) == "unix_cron" ? "unix" : word("dialect", text(row, dialect), is_dialect, dialect_words);
  all.words.zone = text(row, zone);
  all.words.gap = word("gap", text(row, gap), is_gap, gap_words);
  all.words.overlap = word("overlap", text(row, overlap), is_overlap, overlap_words);
  all.expected_text = text(row, expected);
  all.source = text(row, source);
  read_expected(all);
  const std::string start = text(row, from);
  if (!all.refused || !start.empty()) all.from = instant_of("from", start);  // an expected refusal needs no start
  return all;
}

}  // namespace detent::tool
