// SPDX-License-Identifier: MIT
#include "doctor/finding.hpp"

#include <fmt/format.h>

#include <utility>

#include "text/input_error.hpp"

namespace detent::tool {

finding not_visible(std::string subject, const std::string& file) {
  return {std::move(subject), severity::unknown, "not visible here", file};
}

finding not_understood(std::string subject, const std::string& file, const std::string& text) {
  return {std::move(subject), severity::unknown, fmt::format("not understood: {}", in_quotes(text)), file};
}

}  // namespace detent::tool
