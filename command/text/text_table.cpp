// SPDX-License-Identifier: MIT
#include "text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace detent::tool {

std::string text_table::text() const {
  std::size_t width = 0;
  for (const row& each : rows_) width = std::max(width, each.first.size());
  std::string out;
  for (const row& each : rows_) out += fmt::format("  {:<{}}  {}\n", each.first, width, each.second);
  return out;
}

}  // namespace detent::tool
