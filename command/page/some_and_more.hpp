// SPDX-License-Identifier: MIT
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "page/console_html.hpp"

namespace detent::tool {

// Shows the first few items, and the others folded below. table(first, last, head) returns a table of some of them.
template <class Items, class Table>
std::string some_and_more(std::string_view id, const Items& items, std::size_t at_once, const char* what, Table table) {
  const auto cut = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), at_once));
  std::string first = table(items.begin(), cut, html_table::head_line::shown);
  if (cut == items.end()) return first;
  return first + folded(id, fmt::format("{} {} more", items.end() - cut, what),
                        table(cut, items.end(), html_table::head_line::for_readers));
}

}  // namespace detent::tool
