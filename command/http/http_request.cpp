// SPDX-License-Identifier: MIT
#include "http/http_request.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace detent::tool {
namespace {

// Removes the text up to and including `end` from `rest`, or all of it, and returns the text before `end`.
std::string_view take_until(std::string_view& rest, std::string_view end) {
  const std::string_view taken = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(rest.size(), taken.size() + end.size()));
  return taken;
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

bool is_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/1.") && std::isdigit(static_cast<unsigned char>(text[7])) != 0;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// A % that is not followed by two hexadecimal digits stands for itself.
std::string decoded(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text[i] == '%' ? text.substr(i + 1, 2) : std::string_view();
    unsigned char byte = 0;
    const bool escaped =
        digits.size() == 2 && std::from_chars(digits.begin(), digits.end(), byte, 16).ptr == digits.end();
    made += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += digits.size();
  }
  return made;
}

http_query query_of(std::string text) {
  http_query made;
  std::replace(text.begin(), text.end(), '+', ' ');
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view value = take_until(rest, "&");
    std::string name = decoded(take_until(value, "="));
    made.emplace(std::move(name), decoded(value));
  }
  return made;
}

bool is_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// Returns whether a weight is above zero (RFC 9110, 12.4.2). A malformed weight refuses nothing.
bool has_weight(std::string_view parameters) {
  std::string_view value = trimmed(parameters);
  if (value.size() < 2 || !is_word(value.substr(0, 2), "q=")) return true;
  value.remove_prefix(2);
  return value.find_first_not_of("0.") != std::string_view::npos;
}

// Returns whether the value of Accept-Encoding admits gzip (RFC 9110, 12.5.3), by its name or, if that is missing, by
// "*".
bool admits_gzip(std::string_view value) {
  bool any = false;
  while (!value.empty()) {
    std::string_view rest = take_until(value, ",");
    const std::string_view name = trimmed(take_until(rest, ";"));
    if (is_word(name, "gzip") || is_word(name, "x-gzip")) return has_weight(rest);
    if (name == "*") any = has_weight(rest);
  }
  return any;
}

bool read_request_line(std::string_view line, http_request& into) {
  if (!is_line(line)) return false;
  into.method = take_until(line, " ");
  std::string_view target = take_until(line, " ");
  if (!is_token(into.method) || target.empty() || !is_version(line)) return false;
  into.path = decoded(take_until(target, "?"));
  into.query = query_of(std::string(target));
  return true;
}

bool read_field(std::string_view line, http_request& into) {
  if (!is_line(line) || line.find(':') == std::string_view::npos) return false;
  const std::string_view name = take_until(line, ":"), value = trimmed(line);
  const auto is_named = [name](std::string_view lower) { return is_word(name, lower); };
  if (is_named("host")) into.hosts.push_back(value);
  if (is_named("authorization")) into.authorizations.push_back(value);
  if (is_named("accept-encoding")) into.takes_gzip = into.takes_gzip || admits_gzip(value);
  if (is_named("transfer-encoding")) into.has_body = true;
  if (is_named("content-length") && (value.empty() || value.find_first_not_of('0') != std::string_view::npos))
    into.has_body = true;
  return is_token(name);
}

}  // namespace

std::optional<http_request> read_request(std::string_view head) {
  constexpr std::string_view line_end = "\r\n";
  http_request made;
  if (!head.ends_with("\r\n\r\n") || !read_request_line(take_until(head, line_end), made)) return std::nullopt;
  while (head != line_end) {
    if (!read_field(take_until(head, line_end), made)) return std::nullopt;
  }
  return made;
}

}  // namespace detent::tool
