// SPDX-License-Identifier: MIT
#include "page/engine_detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lateness/lateness_causes.hpp"
#include "page/console_charts.hpp"
#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "page/console_rows.hpp"
#include "page/console_timers.hpp"
#include "text/html_text.hpp"
#include "text/units.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t labels_at_once = 20, labels_filtered_from = 8, past_at_most = 50;

std::string or_dash(const time_figures& figures, double value) { return figures.count == 0 ? "-" : time_html(value); }

std::vector<std::string> percentile_cells(const time_figures& its) {
  return {or_dash(its, its.p50), or_dash(its, its.p90), or_dash(its, its.p99), or_dash(its, its.p999),
          or_dash(its, its.most)};
}

std::string cause_table(const console_engine& engine) {
  const top_row& row = engine.row;
  html_table table("causes", "lateness by cause",
                   {{"late by", "name"},
                    {"p50", "number time"},
                    {"p90", "number time"},
                    {"p99", "number time"},
                    {"p99.9", "number time"},
                    {"max", "number time"},
                    {"share", "number few", "of all the time that timers were late"}});
  const auto main = main_cause(row.times);
  const auto add = [&](cause key, const std::string& name, const std::string& share) {
    std::vector<std::string> cells = percentile_cells(row.times[key]);
    cells.insert(cells.begin(), name);
    cells.push_back(share);
    table.row("", cells, main == key ? "main" : key == cause::lateness ? "all" : "");
  };
  constexpr cause keys[] = {cause::drain, cause::wait, cause::worker, cause::dispatch};
  for (std::size_t i = 0; i < std::size(keys); ++i) {
    const cause_words& its = words_of_causes()[i];
    add(keys[i], fmt::format("{} <span class=\"soft\">{}</span>", its.name, its.span),
        main ? percent_text(share_of(row.times, keys[i])) : "-");
  }
  add(cause::lateness, "all of it", "");
  add(cause::callback, "callback <span class=\"soft\">its own time, no part of the lateness</span>", "");
  const bool overdue = stalled(engine) && row.why_overdue.is;
  const lateness_diagnosis& why = overdue ? row.why_overdue : row.why;
  if (!why.is || (!is_late(row) && !overdue)) return table.str();
  return table.str() +
         paragraph("soft", html_escaped(fmt::format("Why: {}. What helps: {}.", text_of(why), cure_of(why))));
}

std::string label_table(const std::vector<const top_label*>& labels, const console_query& query) {
  html_table table("labels", "labels", label_columns(query));
  for (const top_label* each : labels) {
    const time_figures& late = each->times[cause::lateness];
    const time_figures& callback = each->times[cause::callback];
    const auto by = main_cause(each->times);
    table.row("", {foreign(each->name), count_text(each->pending), rate_html(each->scheduled), rate_html(each->fired),
                   each->missed > 0 ? fmt::format("<strong class=\"bad\">{}</strong>", rate_html(each->missed)) : "0",
                   or_dash(late, late.p50), or_dash(late, late.p99), or_dash(late, late.most), by ? name_of(*by) : "-",
                   or_dash(callback, callback.p99)});
  }
  return table.str();
}

std::string labels_html(const top_row& row, const console_query& query) {
  if (row.labels.empty() && row.labels_left_out == 0) return "";
  std::string out = "<h3 id=\"labels\">Labels</h3>\n";
  const std::string& filter = query.labels.filter;
  const std::vector<const top_label*> all = chosen(row.labels, query.labels);
  if (row.labels.size() > labels_filtered_from || !filter.empty())
    out += filter_html(query, "label-filter", "labels", filter);
  const bool whole = query.all.contains("labels") || all.size() <= labels_at_once;
  out += all.empty() ? paragraph("soft", "No label has that in its name.")
                     : label_table({all.begin(), whole ? all.end() : all.begin() + labels_at_once}, query) +
                           rest_html(query, {.part = "labels", .count = all.size(), .at_once = labels_at_once});
  if (row.labels_left_out == 0) return out;
  return out + paragraph("soft", fmt::format("{} more labels are left out: all engines together have too many.",
                                             row.labels_left_out));
}

std::string facts_of(const console_engine& engine) {
  const top_row& row = engine.row;
  std::vector<std::pair<const char*, std::string>> facts = {
      {"pending", count_text(row.pending)},
      {"not yet drained", count_text(static_cast<std::uint64_t>(std::max<std::int64_t>(row.backlog, 0)))}};
  if (engine.queued) facts.emplace_back("queued in executors", count_text(*engine.queued));
  if (engine.retries > 0) facts.emplace_back("to be offered to them again", count_text(engine.retries));
  if (engine.next_due) {
    facts.emplace_back("next deadline", *engine.next_due < 0 ? time_html(-*engine.next_due) + " ago"
                                                             : "in " + time_html(*engine.next_due));
  }
  if (row.cpu) facts.emplace_back("CPU of the worker", percent_text(*row.cpu));
  facts.emplace_back("wake-ups/s", rate_html(row.wakeups));
  facts.emplace_back("restarted/s", rate_html(row.rates[counter::restarted]));
  std::string out;
  for (const auto& [name, html] : facts) out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html);
  return "<dl class=\"facts-line\">\n" + out + "</dl>\n";
}

std::string notes_of(const top_row& row) {
  std::string out;
  if (row.set) out += paragraph("soft", html_escaped(text_of(*row.set)));
  if (!row.stall.empty()) out += paragraph("warning", foreign(row.stall));
  if (const std::string text = failures_of(row); !text.empty()) out += paragraph("warning", html_escaped(text));
  if (const std::string text = last_error_of(row); !text.empty()) out += paragraph("warning", foreign(text));
  return out;
}

// Offers the two spans that the curves may have. Empty if only minutes are kept.
std::string spans_html(const console_query& query, const console_view& view, const console_engine& engine) {
  const auto link = [&](bool is_long, const std::string& words) {
    console_query other = query;
    other.engine = engine.id;
    other.is_long = is_long;
    return fmt::format("<a id=\"span-{}\" href=\"{}\"{}>{}</a>", is_long ? "long" : "short",
                       address_of(other, "engine"), query.is_long == is_long ? " aria-current=\"true\"" : "", words);
  };
  return paragraph("spans", "Curves of the last " + link(false, span_text(view.window)) + " or " +
                                link(true, span_text(view.long_window)));
}

std::string trouble_html(const console_engine& engine, const console_view& view) {
  if (!engine.trouble || !engine.live) return "";
  return paragraph("soft", fmt::format("{} {}.", badge(engine.trouble->judged), since_text(*engine.trouble, view.now)));
}

}  // namespace

std::string engine_detail(const console_engine& engine, const console_view& view, const console_query& query,
                          const std::optional<std::vector<console_sample>>& long_samples) {
  const top_row& row = engine.row;
  std::string name = "Engine " + foreign(row.identity.name);
  if (row.identity.set != 0 && !row.set) name += fmt::format(", shard {}", row.identity.shard);
  if (!row.identity.instance.empty()) name += ", instance " + foreign(row.identity.instance);
  std::string out = heading("engine", name);
  out += paragraph("soft",
                   fmt::format("process {}, up {}{}; {}", row.identity.process, age_text(row.age),
                               engine.live ? "" : " <strong>when it ended</strong>", html_escaped(options_of(row))));
  out += trouble_html(engine, view) + notes_of(row) + facts_of(engine) + spans_html(query, view, engine);
  out += long_samples ? engine_charts(*long_samples, view.now, view.long_window)
                      : engine_charts(engine.history, view.now, view.window);
  out += fmt::format("<h3>Late by, in the last {}</h3>\n{}", span_text(engine.seconds), cause_table(engine));
  out += labels_html(row, query);
  return "<section aria-labelledby=\"engine\">\n" + out + "</section>\n";
}

std::string past_detail(const past_engine& engine, const console_view& view,
                        const std::vector<console_sample>& samples) {
  return "<section aria-labelledby=\"engine\">\n" + heading("engine", "Engine " + foreign(engine.name)) +
         paragraph("soft", fmt::format("process {}; it is gone, and was last read at {}. This is what the last {} have "
                                       "of it.",
                                       engine.process, when_html(engine.last, view.now), span_text(view.long_window))) +
         engine_charts(samples, view.now, view.long_window) + "</section>\n";
}

std::string past_table(const console_view& view, const console_query& query) {
  if (view.past.empty()) return "";
  html_table table(
      "past", "engines that are gone",
      {{"engine", "name"}, {"process", "number process"}, {"from", "when"}, {"to", "when"}, {"at worst", "text"}});
  const std::size_t most = std::min(view.past.size(), past_at_most);
  for (std::size_t i = 0; i < most; ++i) {
    const past_engine& its = view.past[i];
    console_query own = query;
    own.engine = its.id;
    own.is_long = true;
    table.row("", {fmt::format("<a href=\"{}\">{}</a>", address_of(own, "engine"), foreign(its.name)),
                   std::to_string(its.process), when_html(its.first, view.now), when_html(its.last, view.now),
                   badge(its.worst)});
  }
  const std::string more = most == view.past.size() ? "" : fmt::format(", the latest {} of them", most);
  return folded("past-engines",
                fmt::format("{} engine{} of the last {} {} gone{}", view.past.size(), view.past.size() == 1 ? "" : "s",
                            span_text(view.long_window), view.past.size() == 1 ? "is" : "are", more),
                table.str());
}

}  // namespace detent::tool
