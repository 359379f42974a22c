// SPDX-License-Identifier: MIT
#include "page/console_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "page/console_figures.hpp"
#include "text/html_text.hpp"

namespace detent::tool {
namespace {

// A column by which a table can be sorted: numbers from the largest, and names from the first letter.
template <class Row>
struct sortable {
  const char* name;
  std::function<double(const Row&)> number;  // without it, the column is sorted by name
};

double known_or_least(const time_figures& its, double value) { return its.count == 0 ? -1 : value; }

const std::vector<sortable<console_engine>>& engine_orders() {
  using engine = const console_engine&;
  static const auto late = [](engine its) -> const time_figures& { return its.row.times[cause::lateness]; };
  static const std::vector<sortable<console_engine>> all = {
      {"engine", nullptr},
      {"process", [](engine its) { return static_cast<double>(its.row.identity.process); }},
      {"pending", [](engine its) { return static_cast<double>(its.row.pending); }},
      {"scheduled", [](engine its) { return recent_rates(its).scheduled; }},
      {"fired", [](engine its) { return recent_rates(its).fired; }},
      {"cancelled", [](engine its) { return recent_rates(its).cancelled; }},
      {"p50", [](engine its) { return known_or_least(late(its), late(its).p50); }},
      {"p99", [](engine its) { return known_or_least(late(its), late(its).p99); }},
      {"max", [](engine its) { return known_or_least(late(its), late(its).most); }},
      {"missed", [](engine its) { return static_cast<double>(counted(its, counter::missed)); }},
      {"slow", [](engine its) { return static_cast<double>(counted(its, counter::slow)); }}};
  return all;
}

const std::vector<sortable<top_label>>& label_orders() {
  using label = const top_label&;
  static const auto late = [](label its) -> const time_figures& { return its.times[cause::lateness]; };
  static const std::vector<sortable<top_label>> all = {
      {"label", nullptr},
      {"pending", [](label its) { return static_cast<double>(its.pending); }},
      {"scheduled", [](label its) { return its.scheduled; }},
      {"fired", [](label its) { return its.fired; }},
      {"missed", [](label its) { return its.missed; }},
      {"p50", [](label its) { return known_or_least(late(its), late(its).p50); }},
      {"p99", [](label its) { return known_or_least(late(its), late(its).p99); }},
      {"max", [](label its) { return known_or_least(late(its), late(its).most); }},
      {"callback",
       [](label its) { return known_or_least(its.times[cause::callback], its.times[cause::callback].p99); }}};
  return all;
}

const std::string& row_name(const console_engine& its) { return its.row.identity.name; }
const std::string& row_name(const top_label& its) { return its.name; }

template <class Row>
void arrange(std::vector<const Row*>& rows, const row_choice& by, const std::vector<sortable<Row>>& orders) {
  const auto found =
      std::ranges::find_if(orders, [&](const sortable<Row>& each) { return direction_of(by, each.name) != 0; });
  if (found == orders.end()) return;
  std::vector<std::pair<double, const Row*>> keyed;  // computed once for each row, because it may sum over the samples
  keyed.reserve(rows.size());
  for (const Row* each : rows) keyed.emplace_back(found->number ? found->number(*each) : 0, each);
  const bool is_name = !found->number;
  std::ranges::stable_sort(keyed, [is_name](const auto& a, const auto& b) {
    return is_name ? row_name(*a.second) < row_name(*b.second) : a.first > b.first;
  });
  if (direction_of(by, found->name) < 0) std::ranges::reverse(keyed);
  for (std::size_t i = 0; i != rows.size(); ++i) rows[i] = keyed[i].second;
}

const char* order_word(int direction, bool is_name) {
  return direction == 0 ? "" : (direction > 0) == is_name ? "ascending" : "descending";
}

// Adds the link and the order of a column that sorts by `name`.
html_column sorting(html_column column, const char* name, const console_query& query,
                    row_choice console_query::*which) {
  console_query next = query;
  next.*which = sorted_by(query.*which, name);
  const bool is_name = std::string_view(column.kind) == "name";
  column.address = address_of(next, which == &console_query::labels ? "labels" : "engines");
  column.sorted = order_word(direction_of(query.*which, name), is_name);
  return column;
}

}  // namespace

std::vector<const console_engine*> chosen(const std::vector<console_engine>& engines, const row_choice& by) {
  std::vector<const console_engine*> out = worst_first(engines);
  std::erase_if(out, [&](const console_engine* each) {
    const engine_identity& its = each->row.identity;
    return !passes(by, {its.name, its.instance, std::to_string(its.process)});
  });
  arrange(out, by, engine_orders());
  return out;
}

std::vector<const top_label*> chosen(const std::vector<top_label>& labels, const row_choice& by) {
  std::vector<const top_label*> out;
  for (const top_label& each : labels)
    if (passes(by, {each.name})) out.push_back(&each);
  arrange(out, by, label_orders());
  return out;
}

std::vector<html_column> engine_columns(const char* first, const console_query& query) {
  const auto by = [&](const char* name, html_column column) {
    return sorting(std::move(column), name, query, &console_query::engines);
  };
  return {
      by("engine", {first, "name"}),
      by("process", {"process", "number process"}),
      by("pending", {"pending", "number", "timers armed and neither fired nor cancelled"}),
      by("scheduled", {"scheduled/s", "number", "over the last ten seconds"}),
      by("fired", {"fired/s", "number", "over the last ten seconds"}),
      by("cancelled", {"cancelled/s", "number", "over the last ten seconds"}),
      by("p50", {"p50", "number time", "half of the timers were not later than this"}),
      by("p99", {"p99", "number time", "99 % of the timers were not later than this"}),
      by("max", {"max", "number time", "the latest timer"}),
      {"mostly by", "cause", "the part with the largest share of all the time that timers were late, and that share"},
      by("missed", {"missed", "number few", "periods that no run was for"}),
      by("slow", {"slow", "number few", "callbacks that took longer than engine_options allow"}),
      {"p99 over time", "over-time",
       "logarithmic, each from its own least value; equal heights are equal factors in all lines"}};
}

std::vector<html_column> label_columns(const console_query& query) {
  const auto by = [&](const char* name, html_column column) {
    return sorting(std::move(column), name, query, &console_query::labels);
  };
  return {by("label", {"label", "name"}),
          by("pending", {"pending", "number"}),
          by("scheduled", {"scheduled/s", "number"}),
          by("fired", {"fired/s", "number"}),
          by("missed", {"missed/s", "number few"}),
          by("p50", {"p50", "number time"}),
          by("p99", {"p99", "number time"}),
          by("max", {"max", "number time"}),
          {"mostly by", "cause"},
          by("callback", {"callback p99", "number time callback"})};
}

std::string filter_html(const console_query& query, const char* name, const char* what, const std::string& value) {
  return fmt::format(
      "<form id=\"{0}-form\" class=\"filter\" action=\"#{1}\" method=\"get\" role=\"search\">\n<label for=\"{0}-text\">"
      "Only {1} with</label>\n<input id=\"{0}-text\" name=\"{0}\" type=\"search\" maxlength=\"100\" "
      "autocomplete=\"off\" "
      "spellcheck=\"false\" value=\"{2}\">\n{3}<noscript><button type=\"submit\">Show</button></noscript>\n</form>\n",
      name, what, html_escaped(value), fields_of(query, name));
}

std::string rest_html(const console_query& query, const rest_of_table& rest) {
  if (rest.count <= rest.at_once) return "";
  console_query other = query;
  const bool is_whole = query.all.contains(rest.part);
  if (is_whole) {
    other.all.erase(rest.part);
  } else {
    other.all.emplace(rest.part);
  }
  const std::string words =
      is_whole ? fmt::format("only the first {}", rest.at_once) : fmt::format("{} more", rest.count - rest.at_once);
  return paragraph(
      "soft", fmt::format("<a id=\"all-{0}\" href=\"{1}\">{2}</a>", rest.part, address_of(other, rest.part), words));
}

}  // namespace detent::tool
