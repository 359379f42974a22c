// SPDX-License-Identifier: MIT
#include "page/console_style.hpp"

#include <string_view>

#include "report/report_style.hpp"

namespace detent::tool {
namespace {

// The console is denser than a report, because people look at it every day. Columns have fixed widths, so that folded
// tables line up with the tables around them and nothing moves when a figure gets longer. Narrow screens show a row as
// a block.
constexpr std::string_view style = R"css(
body { max-width: 1480px; padding: 14px 24px 40px; font-size: 14px; line-height: 1.45; }
a { color: var(--c1); text-underline-offset: 2px; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--c1); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 20px; }
header p { margin: 0; }
h1 { font-size: 18px; }
h2 { margin: 24px 0 4px; padding-top: 10px; font-size: 16px; scroll-margin-top: 4px; overflow-wrap: anywhere; }
h3 { margin: 14px 0 2px; font-size: 14px; }
p { margin: 2px 0 6px; max-width: 110ch; }
time, .unit { white-space: nowrap; }
time, #now { font-variant-numeric: tabular-nums; }
#now { color: var(--text); overflow-wrap: anywhere; }
#state { color: var(--bad); font-weight: 600; }
button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: 4px;
  padding: 1px 12px; cursor: pointer; }
.unit { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.alert { margin: 8px 0; padding: 6px 12px; border-width: 1px; border-radius: 4px; }
.key-figures, .facts-line { display: flex; flex-wrap: wrap; gap: 4px 32px; margin: 10px 0 0; }
.facts-line { margin: 4px 0 2px; gap: 2px 28px; }
.key-figures dd, .facts-line dd { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.key-figures dt, .facts-line dt { font-size: 13px; color: var(--soft); }
.key-figures dt a { color: inherit; }
.key-figures dd { font-size: 19px; font-weight: 600; }
.key-figures dd .unit { font-size: 13px; font-weight: 400; }
.findings { margin: 4px 0; }
.findings li { padding: 3px 0 3px 76px; }
.findings .judged { top: 4px; }
.judged { font-size: 12px; padding: 0 7px; }
details { margin: 4px 0; }
summary { padding: 1px 0; }
table { font-size: 14px; table-layout: fixed; }
th, td { padding: 2px 0 2px 12px; overflow-wrap: anywhere; font-weight: 400; }
th:first-child, td:first-child { padding-left: 0; }
thead th { color: var(--soft); vertical-align: bottom; font-size: 13px; }
tbody th { font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.time .unit { display: inline-block; width: 2.1ch; text-align: left; }
tr.marked > * { background: var(--card); }
tr.marked > th { box-shadow: inset 3px 0 var(--c1); padding-left: 8px; }
tr.inner > td { padding: 0 0 4px; }
tr.inner details { margin: 0; }
tr.inner summary { padding-left: 12px; font-size: 13px; }
tr.inner tbody th { padding-left: 24px; font-weight: 400; }
.trend { display: block; width: 100%; max-width: 160px; height: 20px; }
.trend .line { stroke-width: 1.5; }
.cause, .text { padding-left: 20px; }
.timers tbody th, .causes tbody th .soft { font-weight: 400; }
.lag .unit { margin-left: .2ch; }
col.number { width: 88px; } col.few { width: 62px; } col.few-left { width: 62px; } col.process { width: 76px; }
col.time { width: 84px; } col.callback { width: 112px; } col.cause { width: 112px; } col.over-time { width: 150px; } col.when { width: 190px; } col.lag { width: 118px; }
col.schedule { width: 200px; }
#find, .filter { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; margin: 8px 0 4px; }
#find label, .filter label { color: var(--soft); }
#find input, .filter input { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft);
  border-radius: 4px; padding: 1px 8px; width: 36ch; max-width: 100%; }
.filter input { width: 24ch; }
thead a { color: inherit; text-decoration: none; }
thead a:hover { text-decoration: underline; }
th[aria-sort] a { color: var(--text); font-weight: 600; }
th[aria-sort=descending] a::after { content: " \25be"; }
th[aria-sort=ascending] a::after { content: " \25b4"; }
.unfold { display: inline-block; padding: 1px 0 1px 24px; font-size: 13px; }
.spans a { margin-right: 8px; }
[aria-current=true] { font-weight: 600; text-decoration: none; }
h4 { margin: 8px 0 2px; font-size: 13px; font-weight: 400; color: var(--soft); }
.close { margin-left: 8px; font-size: 13px; font-weight: 400; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 1px 16px; margin: 4px 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 2px 0 6px; padding: 6px 10px; max-height: 24em; overflow: auto; background: var(--card);
  border: 1px solid var(--edge); border-radius: 4px; font-size: 13px; }
#payload-text { white-space: pre-wrap; overflow-wrap: anywhere; }
.nodes { max-width: 760px; }
.labels, .causes { max-width: 1180px; }
.shards { max-width: 760px; }
tr.main > * { font-weight: 600; } tr.main .soft { font-weight: 400; }
tr.all > * { border-top: 2px solid var(--edge); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 0 24px; }
.charts figcaption h3 { margin-top: 10px; }
.charts .legend { margin: 0 0 2px; gap: 0 12px; font-size: 13px; font-variant-numeric: tabular-nums; }
.charts .legend li { gap: 5px; }
.charts .swatch { margin-top: 4px; width: 20px; }
.small { display: block; width: 100%; height: auto; }
svg.small text { font-size: 11.5px; }
.small .line { stroke-width: 1.4; }
.small .line.series1 { stroke-width: 1.6; }
.hint { fill: var(--text); opacity: 0; } .hint:hover { opacity: .12; }
footer { margin-top: 28px; font-size: 13px; }
@media (max-width: 700px) {
  body { padding: 12px 14px 32px; }
  .charts { grid-template-columns: 1fr; }
  .key-figures, .facts-line { display: grid; grid-template-columns: repeat(3, auto); gap: 6px 14px; }
  .key-figures dd { font-size: 17px; }
  .findings li { padding-left: 0; }
  table, tbody, tr, th, td { display: block; }
  colgroup, thead { display: none; }
  tbody > tr { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0 8px; padding: 6px 0;
    border-bottom: 1px solid var(--edge); }
  tbody th, td, th:first-child, td:first-child { border: 0; padding: 0; min-width: 0; }
  tbody th, td.text, tr.inner > td { grid-column: 1 / -1; }
  td.cause, td.text, td.over-time { padding-left: 0; }
  td.number, th.number { text-align: left; white-space: normal; }
  td[data-head]::before { content: attr(data-head); display: block; font-size: 12px; color: var(--soft); }
  td.text::before, .timers td.few::before { display: inline; content: attr(data-head) " "; }
  .timers td.few { grid-column: span 2; order: 1; }
  tr.all > * { border: 0; }
  tr.marked { box-shadow: inset 3px 0 var(--c1); padding-left: 8px; background: var(--card); }
  tr.marked > th { box-shadow: none; padding-left: 0; }
  tr.inner tbody > tr { padding-left: 12px; }
  tr.inner tbody th, tr.inner summary { padding-left: 0; }
}
)css";

}  // namespace

std::string console_style() { return std::string(report_style()) + std::string(style); }

}  // namespace detent::tool
