// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace detent::tool {

enum class verdict : std::uint8_t {
  fine,
  act,     // costs precision; the advice says what to do
  unknown  // not visible here
};

// One thing the doctor looked at.
struct finding {
  std::string subject;
  std::string measured;
  verdict judged = verdict::fine;
  std::string advice = {};  // empty where all is fine
};

inline finding fine(std::string subject, std::string measured) {
  return {std::move(subject), std::move(measured), verdict::fine};
}
inline finding act(std::string subject, std::string measured, std::string advice) {
  return {std::move(subject), std::move(measured), verdict::act, std::move(advice)};
}
inline finding not_visible(std::string subject) { return {std::move(subject), "not visible here", verdict::unknown}; }

}  // namespace detent::tool
