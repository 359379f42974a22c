// SPDX-License-Identifier: MIT
#include "report/report_tables.hpp"

#include <fmt/format.h>

#include "doctor/doctor_text.hpp"
#include "lateness/lateness_text.hpp"
#include "text/html_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

std::string cells(const std::vector<std::string>& texts, const char* element = "td") {
  std::string out;
  for (const std::string& text : texts) out += fmt::format("<{0}>{1}</{0}>", element, html_escaped(text));
  return out;
}

std::string row(std::string_view name, const std::vector<std::string>& texts) {
  return fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", html_escaped(name), cells(texts));
}

std::string table(std::string_view kind, const std::vector<std::string>& heads, const std::string& rows) {
  std::string head;
  for (const std::string& each : heads) head += fmt::format("<th scope=\"col\">{}</th>", html_escaped(each));
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"{}\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n"
      "</table></div>\n",
      kind, head, rows);
}

std::string badge(severity judged) { return fmt::format("<span class=\"judged {0}\">{0}</span>", name_of(judged)); }

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

std::vector<std::string> percentile_cells(const lateness_log& log) {
  std::vector<std::string> out;
  for (const auto& [name, percentile] : all_percentiles()) out.push_back(percentile_text(log, percentile));
  return out;
}

std::vector<std::string> percentile_heads() {
  std::vector<std::string> out;
  for (const auto& [name, percentile] : all_percentiles()) out.emplace_back(name);
  return out;
}

}  // namespace

std::string headline_cards(const text_table& headline) {
  std::string out;
  for (const auto& [name, value] : headline.rows())
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(name), html_escaped(value));
  return "<dl class=\"cards\">\n" + out + "</dl>\n";
}

std::string fact_table(const text_table& facts) {
  std::string out;
  for (const auto& [name, value] : facts.rows()) out += row(name, {value});
  return "<table class=\"facts\">\n<tbody>\n" + out + "</tbody>\n</table>\n";
}

std::string finding_list(const std::vector<finding>& findings) {
  std::string list, rows;
  for (const finding& each : findings) {
    if (each.judged < severity::unknown) {
      list += fmt::format("<li>{} <strong>{}</strong>: {}. <span class=\"do\">Do: {}</span></li>\n", badge(each.judged),
                          html_escaped(each.subject), html_escaped(each.seen), html_escaped(each.cure));
    }
    rows += fmt::format("<tr><td>{}</td>{}</tr>\n", badge(each.judged),
                        cells({each.subject, each.seen, each.where, each.meaning, each.cure}));
  }
  return (list.empty() ? "<p>Nothing here makes timers late.</p>\n" : "<ul class=\"findings\">\n" + list + "</ul>\n") +
         fmt::format("<details><summary>All that was checked, before and after the run: {}</summary>\n{}</details>\n",
                     html_escaped(summary_of(findings)),
                     table("texts", {"", "subject", "seen", "in", "means", "do"}, rows));
}

std::string percentile_table(const report_page& page) {
  std::string rows =
      row("timers of the engine", with({count_text(page.lateness->count())}, percentile_cells(*page.lateness)));
  rows +=
      row("bare clock_nanosleep", with({count_text(page.floor->sleep.count())}, percentile_cells(page.floor->sleep)));
  rows += row("bare spin loop", with({count_text(page.floor->spin.count())}, percentile_cells(page.floor->spin)));
  return table("figures", with({"lateness", "samples"}, percentile_heads()), rows);
}

std::string cause_table(const lateness_causes& causes) {
  std::string rows;
  for (const lateness_cause& each : causes.parts) {
    rows += row(each.name, with({percent_text(each.of_all), percent_text(each.affected)}, percentile_cells(each.log)));
  }
  rows += row("callback's own time", with({"", ""}, percentile_cells(causes.callback)));
  return table("figures", with({"cause", "of all time lost", "timers affected"}, percentile_heads()), rows);
}

}  // namespace detent::tool
