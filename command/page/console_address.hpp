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

// What a table shows: rows that have `filter` in their names, by `sort`, a column's name, after a dash in the other
// direction. The values are as they came; a name that no column has stands for the table's own order.
struct row_choice {
  std::string sort = {}, filter = {};
};

// /?engine=ID&sort=COLUMN&filter=TEXT&label-sort=COLUMN&label-filter=TEXT&all=PART,PART&span=long&reload=1, or
// /?find=TEXT, or /?key=KEY&partition=NAME. The values are as they came, and not checked.
struct console_query {
  std::string engine = {};  // the id of the one to show at length; empty, or of none that there is: the worst
  bool reload = false;      // for browsers without scripts: the page asks for itself again, every few seconds
  std::optional<std::string> find = {};  // a search, as it was typed
  std::optional<std::string> key = {};   // of the timer to open
  std::string partition = {};            // its partition
  row_choice engines = {}, labels = {};
  std::set<std::string, std::less<>> all = {};  // parts that are shown in full: "engines", "labels", the ids of sets
  bool is_long = false;                         // the curves are of the long history
};

console_query page_query_of(const std::map<std::string, std::string>& parameters);

// The address that asks for this, relative and escaped for HTML, such as "?engine=e1.2-3&amp;sort=p99#engines". The
// fragment may be empty.
std::string address_of(const console_query& query, std::string_view fragment);
// The same as the parts of a form that is sent with the parameter `but`: hidden fields.
std::string fields_of(const console_query& query, std::string_view but);

// What a click on a column's head asks for: its own order first, then the other direction.
row_choice sorted_by(const row_choice& now, std::string_view column);
// Whether the rows are sorted by it: 1: in its own order, -1: in the other direction, 0: they are not.
int direction_of(const row_choice& now, std::string_view column);
// Whether one of the texts has the filter in it, in letters of either case.
bool passes(const row_choice& now, std::initializer_list<std::string_view> texts);

}  // namespace detent::tool
