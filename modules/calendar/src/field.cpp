// SPDX-License-Identifier: MIT
#include "field.hpp"

#include <algorithm>
#include <charconv>

#include "message.hpp"

namespace detent::detail {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string range_text(int least, int most) { return std::to_string(least) + " to " + std::to_string(most); }

[[noreturn]] void refuse_at(std::string_view expression, const char* name, std::string_view part,
                            const std::string& why, bool is_never_due) {
  const auto column = static_cast<std::size_t>(part.data() - expression.data()) + 1;
  const std::string what = "schedule " + in_quotes(expression) + ": " + name + " " + in_quotes(part) + ", column " +
                           std::to_string(column) + ": " + why;
  throw schedule_error({name, std::string(part), column}, what, is_never_due);
}

}  // namespace

void field::refuse(const char* name, std::string_view part, const std::string& why, bool is_never_due) const {
  refuse_at(expression_, name, part, why, is_never_due);
}

int field::number(const char* name, std::string_view part, int least, int most) const {
  int value = 0;
  const auto [end, trouble] = std::from_chars(part.data(), part.data() + part.size(), value);
  const bool is_number = !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
  if (!is_number || trouble != std::errc() || value < least || value > most) {
    refuse(name, part, "not a number from " + range_text(least, most));
  }
  return value;
}

std::optional<int> field::name_in(const field_kind& kind, std::string_view part) const {
  for (std::size_t i = 0; i < kind.names.size(); ++i) {
    if (std::equal(part.begin(), part.end(), kind.names[i].begin(), kind.names[i].end(),
                   [](char a, char b) { return upper(a) == b; })) {
      return kind.least + static_cast<int>(i);
    }
  }
  return std::nullopt;
}

int field::value(const field_kind& kind, std::string_view part) const {
  if (const auto named = name_in(kind, part)) return *named;
  const bool is_number = !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
  if (!is_number && !kind.names.empty()) {
    refuse(kind.name, part,
           "not a number from " + range_text(kind.least, kind.most) + ", nor a name from " +
               std::string(kind.names.front()) + " to " + std::string(kind.names.back()));
  }
  return number(kind.name, part, kind.least, kind.most);
}

void field::add_item(const field_kind& kind, std::string_view item, int base, field_values& all) const {
  if (item.empty()) refuse(kind.name, item, "a list has a value between any two commas, and at both ends");
  const std::size_t slash = item.find('/');
  const std::string_view range = item.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const std::string_view text = item.substr(slash + 1);
    const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit) && text.size() <= 4;
    step = is_number ? number(kind.name, text, 0, 9999) : 0;
    if (step < 1 || step > kind.step_most) {
      refuse(kind.name, item, "a step is a number from " + range_text(1, kind.step_most));
    }
  }

  int first = kind.least, last = kind.star_most;
  const std::size_t dash = range.find('-');
  if (range == "*") {
    all.stepped = true;
    all.any = all.any || step == 1;
  } else if (range.empty()) {
    refuse(kind.name, item, "before a step stands `*`, a value or a range");
  } else if (dash == std::string_view::npos) {
    last = first = value(kind, range);
    if (slash != std::string_view::npos) {
      last = std::max(first, kind.star_most);
      all.stepped = true;
    }
  } else {
    const std::string_view from = range.substr(0, dash), to = range.substr(dash + 1);
    if (from.empty() || to.empty()) refuse(kind.name, item, "a range has a value on either side");
    first = value(kind, from);
    last = value(kind, to);
    const bool names = name_in(kind, from).has_value();
    if (names != name_in(kind, to).has_value()) refuse(kind.name, item, "a range has two numbers or two names");
    // If Sunday is 7 as well as 0, a range of names may end with it.
    if (last < first && names && last == kind.least && kind.most > kind.star_most) last = kind.most;
  }
  if (slash != std::string_view::npos && !kind.steps_after_names && name_in(kind, range.substr(0, dash))) {
    refuse(kind.name, item, "Quartz ignores a step after a name: write numbers");
  }
  if (last < first) {
    if (!kind.wraps) refuse(kind.name, item, "the range ends before it begins");
    last += kind.most - kind.least + 1;
  }
  for (int v = first; v <= last; v += step) {
    const int wrapped = v > kind.most ? v - (kind.most - kind.least + 1) : v;
    all.bits.set(static_cast<std::size_t>(wrapped - base));
  }
}

field_values field::values(const field_kind& kind, int base) const {
  field_values all;
  for (std::string_view rest = text_;;) {
    const std::size_t comma = rest.find(',');
    add_item(kind, rest.substr(0, comma), base, all);
    if (comma == std::string_view::npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<field> fields_of(std::string_view expression, std::size_t least, std::span<const char* const> names) {
  constexpr std::string_view blanks = " \t";
  constexpr std::size_t longest = 2048;
  if (expression.size() > longest) {
    refuse_at(expression, "expression", expression.substr(0, longest),
              "longer than " + std::to_string(longest) + " characters", false);
  }
  std::vector<field> all;
  for (std::size_t begin = 0; (begin = expression.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(expression.find_first_of(blanks, begin), expression.size());
    const std::string_view text = expression.substr(begin, end - begin);
    if (all.size() == names.size()) {
      refuse_at(expression, ("field " + std::to_string(names.size() + 1)).c_str(), text,
                "there are at most " + std::to_string(names.size()) + " fields" +
                    (names.size() == 5 ? "; a Quartz expression has more: quartz(), --dialect quartz" : ""),
                false);
    }
    all.emplace_back(expression, text);
    begin = end;
  }
  if (all.size() < least) {
    std::string wanted;
    for (std::size_t i = 0; i < least; ++i) wanted += std::string(i == 0 ? "" : ", ") + names[i];
    refuse_at(expression, "expression", expression,
              std::to_string(all.size()) + (all.size() == 1 ? " field" : " fields") + ", and not " +
                  std::to_string(least) + ": " + wanted +
                  (all.size() == 5 && least == 6 ? "; a Unix expression has five: unix_cron(), --dialect unix" : ""),
              false);
  }
  return all;
}

}  // namespace detent::detail
