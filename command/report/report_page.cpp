// SPDX-License-Identifier: MIT
#include "report/report_page.hpp"

#include <detent/detent.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "lateness/lateness_diagnosis.hpp"
#include "report/report_charts.hpp"
#include "report/report_style.hpp"
#include "report/report_tables.hpp"
#include "text/html_text.hpp"

namespace detent::tool {
namespace {

std::string section(std::string_view heading, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", heading, content);
}

std::string paragraph(std::string_view text, std::string_view kind = "soft") {
  return fmt::format("<p class=\"{}\">{}</p>\n", kind, html_escaped(text));
}

bool has_lateness(const report_page& page) { return page.lateness != nullptr && page.lateness->count() != 0; }

std::string alert_lines(const report_page& page) {
  std::string out;
  for (const std::string& each : page.alerts) {
    out += fmt::format("<p class=\"alert\" role=\"alert\"><strong>Mind:</strong> {}</p>\n", html_escaped(each));
  }
  return out;
}

std::string answer(const report_page& page) {
  std::string text;
  if (page.lateness == nullptr) {
    text = paragraph("They were not, by construction: in virtual time every timer fires at its deadline exactly.", "");
  } else {
    text = paragraph(why_late(*page.causes, *page.lateness, page.floor->spin, page.floor->sleep), "");
    if (page.why.is && is_late(static_cast<double>(page.lateness->percentile(99)), 0))
      text += paragraph(fmt::format("Why: {}. What helps: {}.", text_of(page.why), cure_of(page.why)), "soft");
  }
  return fmt::format("<section class=\"answer\">\n<h2>Why were timers late?</h2>\n{}</section>\n", text);
}

std::string lateness_section(const report_page& page) {
  if (page.lateness == nullptr) return "";
  if (!has_lateness(page)) return section("Lateness", paragraph("No timer fired, so there is nothing to plot."));
  return section(
      "Lateness",
      percentile_chart(*page.lateness, *page.floor) + percentile_table(page) +
          paragraph("The floors were measured by this very process, right before the run and right after it, while no "
                    "timer was pending: wake-ups half a millisecond apart, timer slack 1 ns.") +
          histogram_chart(*page.lateness, *page.floor));
}

std::string cause_section(const report_page& page) {
  if (!has_lateness(page)) return "";
  std::string charts;
  if (page.causes->any()) charts = share_chart(*page.causes) + cause_percentile_chart(*page.causes, *page.lateness);
  return section("By cause",
                 paragraph("The engine splits each timer's lateness into four parts that follow one another, and takes "
                           "the time of each callback. It reads its clock once a batch of timers, so up to a "
                           "microsecond may be attributed to the neighbouring part.") +
                     charts + cause_table(*page.causes));
}

std::string time_section(const report_page& page) {
  std::uint64_t end = page.pending != nullptr ? page.pending->end_ns() : 0;
  if (has_lateness(page)) end = std::max(end, page.over_time->end_ns());
  std::string charts;
  if (has_lateness(page)) charts += lateness_over_time(*page.over_time, end);
  if (page.pending != nullptr && !page.pending->points().empty()) charts += pending_over_time(*page.pending, end);
  return charts.empty() ? "" : section("Over time", charts);
}

std::string run_section(const report_page& page) {
  std::string columns = fmt::format("<div><h3>Results</h3>\n{}</div>\n", fact_table(page.summary));
  columns += fmt::format("<div><h3>Engine</h3>\n{}<h3>Machine</h3>\n{}</div>\n", fact_table(page.engine),
                         fact_table(page.machine));
  return section("What was run", paragraph(page.settings) + "<div class=\"columns\">\n" + columns +
                                     "</div>\n<h3>Reproduce this run</h3>\n<pre><code>" + html_escaped(page.command) +
                                     "</code></pre>\n" +
                                     paragraph("Absolute figures hold for this machine in that minute. Compare them "
                                               "with the floors of the same run."));
}

}  // namespace

std::string report_page::html() const {
  std::string body = alert_lines(*this) + answer(*this) + headline_cards(headline);
  if (!findings.empty()) body += section("The doctor on this host", finding_list(findings));
  body += lateness_section(*this) + cause_section(*this) + time_section(*this) + run_section(*this);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n<p>{2}</p>\n</header>\n"
      "<main>\n{3}</main>\n<footer>detent {4}, {5}</footer>\n</body>\n</html>\n",
      html_escaped(title), report_style(), html_escaped(settings), body, version, html_escaped(began));
}

}  // namespace detent::tool
