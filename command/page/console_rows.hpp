// SPDX-License-Identifier: MIT
// Chooses and orders the engines and labels of a table.
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

// Returns the columns of the two tables. Those that can sort link to the sorted page.
std::vector<html_column> engine_columns(const char* first, const console_query& query);
std::vector<html_column> label_columns(const console_query& query);

// Returns the box for the filter of `what`, such as "engines". Its parameter is `name`.
std::string filter_html(const console_query& query, const char* name, const char* what, const std::string& value);

// Goes below a table with only its first rows, or with all of many rows. It says how many there are and links to the
// other choice. Empty if there are few.
struct rest_of_table {
  const char* part;  // a part in console_query::all; what the rows are
  std::size_t count = 0, at_once = 0;
};
std::string rest_html(const console_query& query, const rest_of_table& rest);

}  // namespace detent::tool
