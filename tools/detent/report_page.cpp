// SPDX-License-Identifier: MIT
#include "report_page.hpp"

#include <detent/detent.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "report_charts.hpp"
#include "svg_plot.hpp"

namespace detent::tool {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2430; --soft: #5b6675; --edge: #dde2e9; --card: #f5f7fa;
  --one: #1f63c7; --two: #c2570c; }
@media (prefers-color-scheme: dark) {
  :root { --back: #12161c; --text: #e4e8ee; --soft: #98a3b3; --edge: #2c343f; --card: #1a2029;
    --one: #6aa7ff; --two: #f59e5b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 980px; padding: 32px 24px 48px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 36px 0 2px; font-size: 18px; }
p { margin: 4px 0 10px; color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  margin: 22px 0 4px; padding: 0; }
.cards div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 14px; }
.cards dt { color: var(--soft); font-size: 13px; }
.cards dd { margin: 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 5px 8px; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
th { font-weight: 400; color: var(--soft); width: 34%; }
td { font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 12px; }
svg .title { fill: var(--text); font-size: 13px; }
svg .legend { fill: var(--text); font-size: 13px; }
.grid { stroke: var(--edge); stroke-width: 1; }
.axis { fill: none; stroke: var(--soft); stroke-width: 1; }
.series1 { --colour: var(--one); }
.series2 { --colour: var(--two); }
.line { fill: none; stroke: var(--colour); stroke-width: 2; stroke-linejoin: round; }
.line.series2 { stroke-dasharray: 6 4; }
.area { fill: var(--colour); opacity: .16; }
.bar { fill: var(--colour); opacity: .75; }
footer { margin-top: 40px; color: var(--soft); font-size: 13px; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } svg { break-inside: avoid; } }
)css";

std::string section(std::string_view heading, std::string_view caption, std::string_view content) {
  return fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n{}</section>\n", heading, html_escaped(caption), content);
}

std::string cards(const text_table& headline) {
  std::string out;
  for (const auto& [name, value] : headline.rows()) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(name), html_escaped(value));
  }
  return "<dl class=\"cards\">\n" + out + "</dl>\n";
}

std::string table(const text_table& summary) {
  std::string out;
  for (const auto& [name, value] : summary.rows()) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_escaped(name), html_escaped(value));
  }
  return "<table>\n" + out + "</table>\n";
}

std::string lateness_sections(const report_page& page) {
  if (page.lateness == nullptr) {
    return section("Lateness", "Zero by construction: on the manual clock every timer fires at its deadline exactly.",
                   "");
  }
  if (page.lateness->count() == 0 || page.bare_spin_loop->count() == 0) {
    return section("Lateness", "No timer fired, so there is nothing to plot.", "");
  }
  return section(
             "Lateness by percentile",
             "How late callbacks began after their deadlines. Each step to the right is another nine; lower is better.",
             percentile_curve(*page.lateness, *page.bare_spin_loop)) +
         section("Lateness histogram", "The same samples, by how late they were.",
                 lateness_histogram(*page.lateness, *page.bare_spin_loop));
}

}  // namespace

std::string report_page::html() const {
  std::string body = cards(headline) + section("Summary", settings, table(summary)) + lateness_sections(*this);
  if (pending != nullptr && !pending->points().empty()) {
    body +=
        section("Pending timers over time", "Armed and neither fired nor cancelled yet.", pending_over_time(*pending));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<header>\n<h1>{0}</h1>\n</header>\n<main>\n{2}</main>\n"
      "<footer>detent {3}, {4:%Y-%m-%d %H:%M:%S} UTC</footer>\n</body>\n</html>\n",
      html_escaped(title), style, body, version, fmt::gmtime(std::time(nullptr)));
}

}  // namespace detent::tool
