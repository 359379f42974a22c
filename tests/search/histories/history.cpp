// SPDX-License-Identifier: MIT
#include "search/histories/history.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace detent::history {
namespace {

// In the order of `action`.
constexpr std::string_view letters = "scrapn";
static_assert(letters.size() == kinds_of_action);

[[noreturn]] void refuse(std::string_view word) {
  throw std::invalid_argument("not a step or a setting of a history: '" + std::string(word) + "'");
}

// The number that the rest of a word begins with, cut off it together with `end`, which must follow.
template <class T>
T number(std::string_view& rest, std::string_view end, std::string_view word) {
  T value{};
  const auto [stopped, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (trouble != std::errc()) refuse(word);
  rest.remove_prefix(static_cast<std::size_t>(stopped - rest.data()));
  if (!rest.starts_with(end)) refuse(word);
  rest.remove_prefix(end.size());
  return value;
}

operation parse_step(std::string_view word) {
  std::string_view rest = word;
  const std::size_t kind = letters.find(rest[0]);
  if (kind == std::string_view::npos) refuse(word);
  rest.remove_prefix(1);
  operation step{.what = static_cast<action>(kind)};
  if (step.what == action::cancel) {
    step.target = number<std::uint32_t>(rest, "", word);
  } else if (step.what == action::restart) {
    step.target = number<std::uint32_t>(rest, ":", word);
    step.by = number<nanoseconds_t>(rest, "", word);
  } else if (step.what == action::poll && rest.empty()) {
    step.by = all;
  } else if (step.what != action::ask) {
    step.by = number<nanoseconds_t>(rest, "", word);
  }
  if (!rest.empty()) refuse(word);
  if (step.by < 0 && (step.what == action::advance || step.what == action::poll)) refuse(word);
  return step;
}

void parse_setting(std::string_view word, setting& where) {
  std::string_view rest = word;
  auto is = [&rest](std::string_view name) {
    if (!rest.starts_with(name)) return false;
    rest.remove_prefix(name.size());
    return true;
  };
  if (is("tick=")) {
    where.tick = number<nanoseconds_t>(rest, "", word);
    if (where.tick <= 0) refuse(word);
  } else if (is("slots=")) {
    where.slots = number<std::size_t>(rest, "", word);
  } else if (is("start=")) {
    where.start = number<nanoseconds_t>(rest, "", word);
  } else if (is("hashed")) {
    where.wheel = wheel_kind::hashed;
  } else if (is("hierarchical")) {
    where.wheel = wheel_kind::hierarchical;
  } else {
    refuse(word);
  }
  if (!rest.empty()) refuse(word);
}

}  // namespace

std::string text(const operation& step) {
  const std::string name(1, letters[static_cast<std::size_t>(step.what)]);
  switch (step.what) {
    case action::cancel: return name + std::to_string(step.target);
    case action::restart: return name + std::to_string(step.target) + ":" + std::to_string(step.by);
    case action::ask: return name;
    case action::poll: return step.by == all ? name : name + std::to_string(step.by);
    default: return name + std::to_string(step.by);
  }
}

std::string text(const setting& where, std::span<const operation> steps) {
  std::string reported = where.wheel == wheel_kind::hashed ? "hashed" : "hierarchical";
  reported += " tick=" + std::to_string(where.tick) + " slots=" + std::to_string(where.slots) +
              " start=" + std::to_string(where.start) + ":";
  for (const operation& step : steps) reported += " " + text(step);
  return reported;
}

history parse(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) refuse(text);
  history read;
  std::string word;
  std::istringstream settings{std::string(text.substr(0, colon))}, steps{std::string(text.substr(colon + 1))};
  while (settings >> word) parse_setting(word, read.where);
  while (steps >> word) read.steps.push_back(parse_step(word));
  return read;
}

}  // namespace detent::history
