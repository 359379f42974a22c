// SPDX-License-Identifier: MIT
#include "search/histories/history.hpp"

#include <string_view>

namespace detent::history {
namespace {

// In the order of `action`.
constexpr std::string_view letters = "scrapn";
static_assert(letters.size() == kinds_of_action);

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

}  // namespace detent::history
