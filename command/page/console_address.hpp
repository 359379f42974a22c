// SPDX-License-Identifier: MIT
// The query of the page's address, which has all that a reader has chosen: it can be kept and sent to others.
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace detent::tool {

// The rows that a table shows: those with `filter` in their names, sorted by `sort`. That is a column's name, after a
// dash for the other direction. The values are as they arrived; a name that no column has stands for the table's own
// order.
struct row_choice {
  std::string sort = {}, filter = {};
};

// The query in
// /?engine=ID&sort=COLUMN&filter=TEXT&label-sort=COLUMN&label-filter=TEXT&all=PART,PART&span=long&reload=1,
// /?find=TEXT, or /?key=KEY&partition=NAME. The values are as they arrived and were not checked.
struct console_query {
  std::string engine = {};               // the id of the one to show in full; if it is empty or unknown, the worst
  bool reload = false;                   // for browsers without scripts: the page reloads itself every few seconds
  std::optional<std::string> find = {};  // a search, as typed
  std::optional<std::string> key = {};   // the key of a timer to open
  std::string partition = {};            // its partition
  row_choice engines = {}, labels = {};
  std::set<std::string, std::less<>> all = {};  // parts to show in full: "engines", "labels", ids of sets
  bool is_long = false;                         // the curves show the long history
};

console_query page_query_of(const std::map<std::string, std::string>& parameters);

// Returns the relative address for this query, escaped for HTML, such as "?engine=e1.2-3&amp;sort=p99#engines". The
// fragment may be empty.
std::string address_of(const console_query& query, std::string_view fragment);
// Returns the query as hidden fields of a form, without the parameter `but`, which the form itself sends.
std::string fields_of(const console_query& query, std::string_view but);

// Returns what a click on a column's head asks for: first the column's own order, then the other direction.
row_choice sorted_by(const row_choice& now, std::string_view column);
// Returns 1 if the rows are sorted by the column in its own order, -1 if in the other direction, and 0 if they are not.
int direction_of(const row_choice& now, std::string_view column);
// Returns whether one of the texts contains the filter, in letters of either case.
bool passes(const row_choice& now, std::initializer_list<std::string_view> texts);

}  // namespace detent::tool
