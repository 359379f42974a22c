// SPDX-License-Identifier: MIT
#include "page/console_engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/console_charts.hpp"
#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "page/console_rows.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t engines_at_once = 20, engines_filtered_from = 8;

std::string cause_html(const top_row& row) {
  const auto main = main_cause(row.times);
  if (!main) return "-";
  return fmt::format("{} <span class=\"unit\">{:.0f} %</span>", name_of(*main), share_of(row.times, *main) * 100);
}

// Shards cannot be sorted by a click, and their table shows no headings.
std::vector<html_column> shard_columns(const console_query& query) {
  std::vector<html_column> columns = engine_columns("shard", query);
  for (html_column& each : columns) {
    each.address.clear();
    each.sorted = "";
  }
  return columns;
}

std::vector<std::string> cells_of(const console_engine& engine, const std::string& name, const std::string& address,
                                  bool marked, const trend_lines& trends) {
  const top_row& row = engine.row;
  const time_figures& late = row.times[cause::lateness];
  const auto time = [&](double ns) { return late.count == 0 ? std::string("-") : time_html(ns); };
  const console_rates rates = recent_rates(engine);
  const std::vector<console_alert> alerts = alerts_of(engine);
  const std::string mark =
      alerts.empty() || alerts.front().judged > severity::warning ? "" : " " + badge(alerts.front().judged);
  return {fmt::format("<a id=\"a-{0}\" href=\"{1}\"{2}>{3}</a>{4}{5}", engine.id, address,
                      marked ? " aria-current=\"true\"" : "", foreign(name), engine.live ? "" : " (ended)", mark),
          std::to_string(row.identity.process),
          count_text(row.pending),
          rate_html(rates.scheduled),
          rate_html(rates.fired),
          rate_html(rates.cancelled),
          time(late.p50),
          time(late.p99),
          time(late.most),
          cause_html(row),
          count_html(counted(engine, counter::missed), severity::bad),
          count_html(counted(engine, counter::slow), severity::warning),
          trends.of(engine)};
}

class table_of_engines {
 public:
  table_of_engines(const console_view& view, const console_query& query, const console_engine* shown)
      : query_(query), shown_(shown), trends_(view.engines, view.now, view.window) {}

  std::string of(const std::vector<const console_engine*>& engines) const {
    html_table table("engines", "engines", engine_columns("engine", query_));
    for (const console_engine* each : engines) {
      add(table, *each, each->row.identity.name);
      if (!each->shards.empty()) table.wide_row("s-" + each->id, shards_of(*each));
    }
    return table.str();
  }

 private:
  // Returns a line that unfolds the shards, which are sent only then.
  std::string shards_of(const console_engine& set) const {
    const bool is_open = query_.all.contains(set.id);
    console_query other = query_;
    if (is_open) {
      other.all.erase(set.id);
    } else {
      other.all.insert(set.id);
    }
    std::string out =
        fmt::format("<a id=\"d-{}\" class=\"unfold\" aria-expanded=\"{}\" href=\"{}\">its {} shards{}</a>\n", set.id,
                    is_open, address_of(other, "engines"), set.shards.size(), is_open ? ", worst first" : "");
    if (!is_open) return out;
    html_table shards("engines", "shards of " + set.row.identity.name, shard_columns(query_));
    for (const console_engine* each : worst_first(set.shards))
      add(shards, *each, fmt::format("shard {}", each->row.identity.shard));
    return out + shards.str(html_table::head_line::for_readers);
  }

  void add(html_table& table, const console_engine& engine, const std::string& name) const {
    const bool marked = &engine == shown_;
    console_query own = query_;
    own.engine = engine.id;
    table.row("e-" + engine.id, cells_of(engine, name, address_of(own, "engine"), marked, trends_),
              marked ? "marked" : "");
  }

  const console_query& query_;
  const console_engine* shown_;
  trend_lines trends_;
};

// Says how the rows are sorted, and links to the default order.
std::string order_text(const console_query& query) {
  for (const html_column& each : engine_columns("engine", query)) {
    if (*each.sorted == '\0') continue;
    console_query plain = query;
    plain.engines.sort.clear();
    return fmt::format("By {}, {} (<a href=\"{}\">worst first</a>).", each.head, each.sorted,
                       address_of(plain, "engines"));
  }
  return "Worst first.";
}

}  // namespace

std::string engine_table(const console_view& view, const console_query& query, const console_engine* shown,
                         const std::string& words) {
  const std::vector<const console_engine*> all = chosen(view.engines, query.engines);
  const std::string& filter = query.engines.filter;
  std::string out = paragraph("soft", order_text(query) + " " + words);
  if (view.engines.size() > engines_filtered_from || !filter.empty())
    out += filter_html(query, "filter", "engines", filter);
  if (all.empty()) return out + paragraph("soft", "No engine has that in its name, its instance or its process id.");
  const bool whole = query.all.contains("engines") || all.size() <= engines_at_once;
  const table_of_engines table(view, query, shown);
  return out + table.of({all.begin(), whole ? all.end() : all.begin() + engines_at_once}) +
         rest_html(query, {.part = "engines", .count = all.size(), .at_once = engines_at_once});
}

}  // namespace detent::tool
