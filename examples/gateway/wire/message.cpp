// SPDX-License-Identifier: MIT
#include "message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace wire {
namespace {

constexpr std::string_view separators("|\x01", 2);
constexpr int highest_tag = 99999;

bool printable(char c) { return c >= ' ' && c <= '~'; }

// The whole text as a number, or none.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<message> message::parse(std::string_view line, std::string& problem) {
  const auto strange =
      std::find_if(line.begin(), line.end(), [](char c) { return !printable(c) && c != separators[1]; });
  if (strange != line.end()) {
    problem = fmt::format("byte 0x{:02x} at {}", static_cast<unsigned char>(*strange), strange - line.begin());
    return std::nullopt;
  }
  message parsed;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    problem = parsed.add(line.substr(0, end));
    if (!problem.empty()) return std::nullopt;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (parsed.count_ == 0 || parsed.fields_[0].key != tag::type) {
    problem = "the first field is not 35";
  } else if (parsed.fields_[0].value.size() != 1) {
    problem = fmt::format("type '{}' is unknown", parsed.fields_[0].value.substr(0, 20));
  } else {
    return parsed;
  }
  return std::nullopt;
}

std::string message::add(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return fmt::format("field {} has no '='", count_ + 1);
  const auto number = whole_number<int>(text.substr(0, equals));
  if (!number || *number < 1 || *number > highest_tag) {
    return fmt::format("tag '{}' is no number from 1 to {}", text.substr(0, std::min<std::size_t>(equals, 20)),
                       highest_tag);
  }
  const tag key{*number};
  if (equals + 1 == text.size()) return fmt::format("tag {} is empty", *number);
  if (this->text(key)) return fmt::format("tag {} comes twice", *number);
  if (count_ == most_fields) return fmt::format("more than {} fields", most_fields);
  fields_[count_++] = {key, text.substr(equals + 1)};
  return {};
}

std::optional<std::string_view> message::text(tag of) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (fields_[i].key == of) return fields_[i].value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> message::number(tag of) const {
  const auto value = text(of);
  return value ? whole_number<std::int64_t>(*value) : std::nullopt;
}

char message::letter(tag of) const {
  const auto value = text(of);
  return value && value->size() == 1 ? value->front() : '\0';
}

}  // namespace wire
