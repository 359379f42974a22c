// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

#include "lateness_log.hpp"
#include "pending_series.hpp"
#include "text_table.hpp"

namespace detent::tool {

struct report_page {
  std::string title;
  std::string settings;      // one line
  text_table headline = {};  // a few figures shown large
  text_table summary = {};
  const lateness_log* lateness = nullptr;  // null where lateness is zero by construction
  const lateness_log* bare_spin_loop = nullptr;
  const pending_series* pending = nullptr;

  // One self-contained HTML page: style and drawings inside, no scripts, for light and dark screens and for paper.
  std::string html() const;
};

}  // namespace detent::tool
