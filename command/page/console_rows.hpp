// SPDX-License-Identifier: MIT
// Which engines and which labels a table has, and in which order.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "page/console_address.hpp"
#include "page/console_html.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

std::vector<const console_engine*> chosen(const std::vector<console_engine>& engines, const row_choice& by);
std::vector<const top_label*> chosen(const std::vector<top_label>& labels, const row_choice& by);

// The columns of the two tables. Those that can sort lead to the page that is sorted by them.
std::vector<html_column> engine_columns(const char* first, const console_query& query);
std::vector<html_column> label_columns(const console_query& query);

// The box to filter with; `what`: "engines". Its parameter is `name`.
std::string filter_html(const console_query& query, const char* name, const char* what, const std::string& value);

// Below a table that has only its first rows, or all although there are many: how many there are, and a link to the
// other choice. Empty: there are few.
struct rest_of_table {
  const char* part;  // of console_query::all, and what the rows are
  std::size_t count = 0, at_once = 0;
};
std::string rest_html(const console_query& query, const rest_of_table& rest);

}  // namespace detent::tool
