// SPDX-License-Identifier: MIT
#include "page/console_page.hpp"

#include <detent/detent.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "doctor/doctor_text.hpp"
#include "page/console_durable.hpp"
#include "page/console_engines.hpp"
#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "page/console_lists.hpp"
#include "page/console_rows.hpp"
#include "page/engine_detail.hpp"
#include "text/html_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr int reload_seconds = 5;

// Returns a figure in the first line, which links to the part of the page that it sums up.
std::string key_figure(const char* link, const char* name, const std::string& html) {
  return fmt::format("<div><dt><a href=\"#{}\">{}</a></dt><dd>{}</dd></div>\n", link, name, html);
}

std::string engine_figures(const console_view& view) {
  std::uint64_t pending = 0, missed = 0, live = 0;
  double fired = 0;
  std::set<std::int64_t> processes;
  const console_engine* latest = nullptr;
  for (const console_engine& each : view.engines) {
    missed += counted(each, counter::missed);
    const time_figures& late = each.row.times[cause::lateness];
    if (late.count != 0 && (!latest || late.p99 > latest->row.times[cause::lateness].p99)) latest = &each;
    if (!each.live) continue;
    ++live;
    processes.insert(each.row.identity.process);
    pending += each.row.pending;
    fired += recent_rates(each).fired;
  }
  return key_figure("engines", "engines",
                    fmt::format("{} <span class=\"unit\">in {} process{}</span>", count_text(live), processes.size(),
                                processes.size() == 1 ? "" : "es")) +
         key_figure("engines", "pending", count_text(pending)) + key_figure("engines", "fired/s", rate_html(fired)) +
         key_figure("engines", "worst p99", latest ? time_html(latest->row.times[cause::lateness].p99) : "-") +
         key_figure("engines", "missed", count_html(missed, severity::bad));
}

std::string store_figures(const console_store& store) {
  std::uint64_t timers = 0, backlog = 0, dead = 0;
  for (const console_shard& each : store.shards) {
    timers += each.timers;
    backlog += each.backlog;
    dead += each.dead;
  }
  return key_figure("durable", "durable timers", count_text(timers)) +
         key_figure("durable", "backlog", count_text(backlog)) +
         key_figure("dead", "dead", count_html(dead, severity::warning));
}

std::string doctor_figure(const console_view& view) {
  if (!view.examined_at) return key_figure("doctor", "doctor", "-");
  const auto count = [&](severity judged) { return std::ranges::count(view.findings, judged, &finding::judged); };
  const auto bad = static_cast<std::uint64_t>(count(severity::bad)),
             warnings = static_cast<std::uint64_t>(count(severity::warning));
  std::string html;
  if (bad > 0) html += count_html(bad, severity::bad) + " <span class=\"unit\">bad</span> ";
  if (warnings > 0) {
    html += fmt::format("{} <span class=\"unit\">warning{}</span>", count_html(warnings, severity::warning),
                        warnings == 1 ? "" : "s");
  }
  return key_figure("doctor", "doctor", html.empty() ? "fine" : html);
}

std::string summary_line(const console_view& view) {
  return "<dl class=\"key-figures\">\n" + engine_figures(view) + (view.store ? store_figures(*view.store) : "") +
         doctor_figure(view) + "</dl>\n";
}

std::string no_engines(const console_view& view) {
  return paragraph("", fmt::format("No engine on this host shows its counters in {}.", html_escaped(view.directory))) +
         "<p>An engine does so if it is made with a counters file:</p>\n"
         "<pre><code>detent::engine engine({.name = &quot;orders&quot;, .counters_file = "
         "&quot;auto&quot;});</code></pre>\n"
         "<p>It appears here within a second. Of a container, share its /dev/shm, or start the console in it.</p>\n";
}

// Returns null if there is no engine at all.
const console_engine* shown_engine(const console_view& view, const console_query& query) {
  if (const console_engine* const asked = engine_of(view.engines, query.engine)) return asked;
  const std::vector<const console_engine*> all = chosen(view.engines, {.filter = query.engines.filter});
  return all.empty() ? nullptr : all.front();
}

// Returns null if none was asked for or nothing is kept of it.
const past_engine* shown_past(const console_view& view, const console_query& query) {
  const auto found = std::ranges::find(view.past, query.engine, &past_engine::id);
  return found == view.past.end() ? nullptr : &*found;
}

// Describes the time that the figures cover. It begins with the earliest reading that is kept of an engine.
std::string spans_text(const std::vector<console_engine>& engines) {
  const auto [least, most] = std::ranges::minmax_element(engines, {}, &console_engine::seconds);
  std::string longest = span_text(most->seconds);
  if (most->seconds - least->seconds < 2) return longest;
  return fmt::format("{} to {}, by engine", span_text(least->seconds), longest);
}

std::string engine_sections(const console_view& view, const console_query& query,
                            const std::optional<std::vector<console_sample>>& long_samples) {
  const past_engine* const past = shown_past(view, query);
  const console_engine* const shown = past ? nullptr : shown_engine(view, query);
  std::string out = heading("engines", "Engines");
  if (!query.engine.empty() && !past && !engine_of(view.engines, query.engine))
    out += paragraph("soft", "The engine that was asked for is gone.");
  out += view.engines.empty()
             ? no_engines(view)
             : engine_table(view, query, shown,
                            fmt::format("Lateness, missed and slow: the last {}; rates: the last 10 s. A name leads to "
                                        "its curves, causes and labels.",
                                        spans_text(view.engines)));
  out = "<section aria-labelledby=\"engines\">\n" + out + past_table(view, query) + "</section>\n";
  if (past) return out + past_detail(*past, view, long_samples.value_or(std::vector<console_sample>()));
  return shown ? out + engine_detail(*shown, view, query, long_samples) : out;
}

// Returns the line that the script writes to, and the link for browsers without scripts.
std::string controls(const console_query& query) {
  console_query other = query;
  other.reload = !query.reload;
  const std::string words = query.reload ? "stop reloading" : fmt::format("reload every {} s", reload_seconds);
  return "<button id=\"pause\" type=\"button\" hidden>Pause</button>\n<p id=\"state\" role=\"status\"></p>\n" +
         fmt::format("<noscript><p><a href=\"{}\">Reload</a>, or <a href=\"{}\">{}</a></p></noscript>\n",
                     address_of(query, ""), address_of(other, ""), words);
}

// Returns the title, which is all that a browser shows of a tab in the background.
std::string title_of(const console_view& view) {
  const std::vector<console_alert> alerts = alerts_of(view);
  const auto bad = std::ranges::count(alerts, severity::bad, &console_alert::judged);
  const auto warnings = std::ranges::count(alerts, severity::warning, &console_alert::judged);
  std::string counts;
  if (bad > 0) counts += fmt::format("{} bad, ", bad);
  if (warnings > 0) counts += fmt::format("{} warning{}, ", warnings, warnings == 1 ? "" : "s");
  return html_escaped(counts + view.host);
}

void replace_all(std::string& in, std::string_view what, std::string_view by) {
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

std::string header_line(const console_view& view) {
  return fmt::format("<p id=\"now\">{} <time datetime=\"{:%FT%T}Z\">{:%F %T} UTC</time></p>\n", foreign(view.host),
                     fmt::gmtime(std::chrono::system_clock::to_time_t(view.now)),
                     fmt::gmtime(std::chrono::system_clock::to_time_t(view.now)));
}

// The links of alerts and timers name only their target. This adds the rest of the query, so that all other choices
// stay.
std::string keeping(std::string html, const console_query& query) {
  console_query kept = query;
  kept.engine.clear();
  kept.key.reset();
  kept.find.reset();
  const std::string words = "href=\"" + address_of(kept, "");
  if (words.ends_with('?')) return html;
  // No text of others can contain this, because its quotes are escaped.
  for (const std::string name : {"engine=", "key=", "find="})
    replace_all(html, "href=\"?" + name, words + "&amp;" + name);
  replace_all(html, "href=\"?#", words + "#");
  return html;
}

}  // namespace

std::string shown_id(const console_view& view, const console_query& query) {
  if (const past_engine* const past = shown_past(view, query)) return past->id;
  const console_engine* const shown = shown_engine(view, query);
  return shown ? shown->id : "";
}

std::string page_of(const console_view& view, const console_query& query, const console_lookup& lookup) {
  std::string body =
      summary_line(view) + keeping(alert_section(view), query) + engine_sections(view, query, lookup.long_samples);
  if (view.store) body += keeping(durable_section(*view.store, view.now, {lookup, query}), query);
  body += doctor_section(view);
  const std::string reload =
      query.reload ? fmt::format("<noscript><meta http-equiv=\"refresh\" content=\"{}\"></noscript>\n", reload_seconds)
                   : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0} - detent console</title>\n<link rel=\"icon\" href=\"data:,\">\n"
      "<link rel=\"stylesheet\" href=\"console.css\">\n<script src=\"console.js\" defer></script>\n{1}</head>\n<body>\n"
      "<header>\n<h1>detent console</h1>\n{2}{3}</header>\n<main data-interval=\"{4}\" "
      "data-engine=\"{7}\">\n{5}</main>\n"
      "<footer>detent {6}, read only. The same as figures: <a href=\"metrics\">/metrics</a></footer>\n</body>\n"
      "</html>\n",
      title_of(view), reload, header_line(view), controls(query), view.interval, body, version, shown_id(view, query));
}

}  // namespace detent::tool
