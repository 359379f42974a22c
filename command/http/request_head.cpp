// SPDX-License-Identifier: MIT
#include "http/request_head.hpp"

#include <algorithm>
#include <cctype>

namespace detent::tool {
namespace {

constexpr std::string_view line_end = "\r\n";

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

// What is before `end`; all if there is none.
std::string_view until(std::string_view text, std::string_view end) { return text.substr(0, text.find(end)); }

// `lower` is in lower case.
bool is_name(std::string_view name, std::string_view lower) {
  return std::equal(name.begin(), name.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// Calls `use` with each field, without its line's end; false once that returns false.
template <class Use>
bool for_each_field(std::string_view head, Use use) {
  head.remove_prefix(until(head, line_end).size() + line_end.size());
  while (head != line_end) {
    const std::string_view line = until(head, line_end);
    if (!use(line)) return false;
    head.remove_prefix(line.size() + line_end.size());
  }
  return true;
}

}  // namespace

bool is_well_formed(std::string_view head) {
  const auto is_line = [](std::string_view line) {
    return line.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
  };
  const std::string_view first = until(head, line_end);
  return is_line(first) && is_token(until(first, " ")) && for_each_field(head, [&](std::string_view line) {
           return is_line(line) && line.find(':') != std::string_view::npos && is_token(until(line, ":"));
         });
}

std::string simplified(std::string_view head) {
  const std::string_view first = until(head, line_end), method = until(first, " ");
  std::string kept(method == "GET" || method == "HEAD" ? method : "POST");
  kept.append(first.substr(method.size())).append(line_end);
  for_each_field(head, [&](std::string_view line) {
    const std::string_view name = until(line, ":");
    if (!is_name(name, "range") && !is_name(name, "accept-encoding")) kept.append(line).append(line_end);
    return true;
  });
  return kept.append(line_end);
}

}  // namespace detent::tool
