// SPDX-License-Identifier: MIT
#include "page/console_engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/console_charts.hpp"
#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t shown_at_once = 20;

std::vector<html_column> columns(const char* first) {
  return {
      {first, "name"},
      {"process", "number process"},
      {"pending", "number", "timers armed and neither fired nor cancelled"},
      {"scheduled/s", "number", "over the last ten seconds"},
      {"fired/s", "number", "over the last ten seconds"},
      {"cancelled/s", "number", "over the last ten seconds"},
      {"p50", "number time", "half of the timers were not later than this"},
      {"p99", "number time", "99 % of the timers were not later than this"},
      {"max", "number time", "the latest timer"},
      {"mostly by", "cause", "the part with the largest share of all the time that timers were late, and that share"},
      {"missed", "number few", "periods that no run was for"},
      {"slow", "number few", "callbacks that took longer than engine_options allow"},
      {"p99 over time", "over-time",
       "logarithmic, each from its own least value; equal heights are equal factors in all lines"}};
}

std::string cause_html(const top_row& row) {
  const auto main = main_cause(row.times);
  if (!main) return "-";
  return fmt::format("{} <span class=\"unit\">{:.0f} %</span>", name_of(*main), share_of(row.times, *main) * 100);
}

std::vector<std::string> cells_of(const console_engine& engine, const std::string& name, bool marked,
                                  const trend_lines& trends) {
  const top_row& row = engine.row;
  const time_figures& late = row.times[cause::lateness];
  const auto time = [&](double ns) { return late.count == 0 ? std::string("-") : time_html(ns); };
  const console_rates rates = recent_rates(engine);
  const std::vector<console_alert> alerts = alerts_of(engine);
  const std::string mark =
      alerts.empty() || alerts.front().judged > severity::warning ? "" : " " + badge(alerts.front().judged);
  return {fmt::format("<a id=\"a-{0}\" href=\"?engine={0}#engine\"{1}>{2}</a>{3}{4}", engine.id,
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
  table_of_engines(const console_view& view, const console_engine* shown)
      : shown_(shown), trends_(view.engines, view.now, view.window) {}

  std::string of(const std::vector<const console_engine*>& engines, const char* caption) const {
    html_table table("engines", caption, columns("engine"));
    for (const console_engine* each : engines) {
      add(table, *each, each->row.identity.name);
      if (each->shards.empty()) continue;
      html_table shards("engines", "shards of " + each->row.identity.name, columns("shard"));
      for (const console_engine* shard : worst_first(each->shards))
        add(shards, *shard, fmt::format("shard {}", shard->row.identity.shard));
      table.wide_row("s-" + each->id,
                     folded("d-" + each->id, fmt::format("its {} shards, worst first", each->shards.size()),
                            shards.str(html_table::head_line::for_readers)));
    }
    return table.str();
  }

 private:
  void add(html_table& table, const console_engine& engine, const std::string& name) const {
    const bool marked = &engine == shown_;
    table.row("e-" + engine.id, cells_of(engine, name, marked, trends_), marked ? "marked" : "");
  }

  const console_engine* shown_;
  trend_lines trends_;
};

}  // namespace

std::string engine_table(const console_view& view, const console_engine* shown) {
  const std::vector<const console_engine*> all = worst_first(view.engines);
  const auto cut = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), shown_at_once));
  const table_of_engines table(view, shown);
  std::string out = table.of({all.begin(), cut}, "engines, worst first");
  if (cut == all.end()) return out;
  return out + folded("more-engines", fmt::format("{} engines more, none of them worse", all.end() - cut),
                      table.of({cut, all.end()}, "the other engines"));
}

}  // namespace detent::tool
