// SPDX-License-Identifier: MIT
#include "report/report_style.hpp"

namespace detent::tool {

namespace {

// Series 1 is the measurement, 2 and 3 are the floors, 4 to 7 the causes, 8 and 9 belong to 1. Lines differ both in
// dashes and in colour.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --back: #ffffff; --text: #18202b; --soft: #52606f; --edge: #d9dfe7; --card: #f5f7fa;
  --c1: #1a5fc4; --c2: #667080; --c3: #b3500a; --c4: #7a3fc9; --c5: #0a7a72; --c6: #c0245e; --c7: #857000;
  --c8: #0f8a5f; --c9: #c3d5ee; --bad: #b3141f; --warning: #8f5200; --note: #1a5fc4; --fine: #17703c; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #11151b; --text: #e6eaf0; --soft: #a3afbd; --edge: #2d3642; --card: #1a2029;
    --c1: #6aa7ff; --c2: #9aa6b6; --c3: #f2a25c; --c4: #bd97ff; --c5: #3ecfc2; --c6: #ff82ab; --c7: #dcc04a;
    --c8: #5fd6a0; --c9: #35527d; --bad: #ff8a8f; --warning: #f5b45b; --note: #8bb9ff; --fine: #6fd397; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 36px 32px 56px; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 28px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 44px 0 8px; padding-top: 14px; border-top: 1px solid var(--edge); font-size: 21px; line-height: 1.3; }
h3 { margin: 28px 0 2px; font-size: 17px; line-height: 1.35; }
p { margin: 4px 0 10px; max-width: 82ch; overflow-wrap: anywhere; }
figcaption p, .soft, footer { color: var(--soft); }
header p { margin: 6px 0 0; color: var(--soft); }
.alert { margin: 18px 0 0; padding: 10px 14px; border: 2px solid var(--bad); border-radius: 8px; max-width: none; }
.answer { margin: 22px 0 0; padding: 14px 18px; border-left: 4px solid var(--c1); background: var(--card);
  border-radius: 0 8px 8px 0; }
.answer h2 { margin: 0 0 4px; padding: 0; border: 0; font-size: 17px; }
.answer p { margin: 0; max-width: none; }
.answer p + p { margin-top: 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 18px 0 0; }
.cards div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 14px; }
.cards dt { color: var(--soft); font-size: 14px; }
.cards dd { margin: 0; font-size: 23px; font-weight: 600; font-variant-numeric: tabular-nums; }
.findings { margin: 10px 0; padding: 0; list-style: none; }
.findings li { padding: 7px 0 7px 88px; border-bottom: 1px solid var(--edge); position: relative;
  overflow-wrap: anywhere; }
.judged { font-size: 13px; font-weight: 600; border: 1px solid currentColor; border-radius: 10px; padding: 0 8px; }
.findings .judged { position: absolute; left: 0; top: 9px; }
.bad { color: var(--bad); } .warning { color: var(--warning); } .note { color: var(--note); }
.fine { color: var(--fine); } .unknown { color: var(--soft); }
.do { color: var(--soft); }
details { margin: 12px 0; }
summary { cursor: pointer; color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.facts th { font-weight: 400; color: var(--soft); width: 34%; }
.figures th, .figures td { text-align: right; white-space: nowrap; }
.figures th:first-child { text-align: left; }
.figures thead th { color: var(--soft); font-weight: 400; vertical-align: bottom; }
.figures tbody th { font-weight: 600; }
.texts { font-size: 14px; }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 40px; }
pre { margin: 8px 0; padding: 12px 14px; background: var(--card); border: 1px solid var(--edge); border-radius: 8px;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 14px; }
figure { margin: 0 0 8px; break-inside: avoid; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 22px; margin: 8px 0 6px; padding: 0; list-style: none;
  font-size: 14.5px; }
.legend li { display: flex; align-items: flex-start; gap: 8px; }
.swatch { flex: none; width: 26px; height: 12px; margin-top: 6px; }
.wide, .narrow { width: 100%; height: auto; }
.wide { display: block; } .narrow { display: none; }
svg text { fill: var(--soft); font-size: 13px; }
svg.narrow text { font-size: 14.5px; }
svg .title { fill: var(--text); }
svg .inside { fill: var(--back); font-weight: 600; }
.grid { stroke: var(--edge); stroke-width: 1; }
.axis { fill: none; stroke: var(--soft); stroke-width: 1; }
.series1 { --c: var(--c1); } .series2 { --c: var(--c2); } .series3 { --c: var(--c3); } .series4 { --c: var(--c4); }
.series5 { --c: var(--c5); } .series6 { --c: var(--c6); } .series7 { --c: var(--c7); } .series8 { --c: var(--c8); }
.series9 { --c: var(--c9); }
.line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.line.series1 { stroke-width: 2.5; }
.line.series2 { stroke-dasharray: 2 4; }
.line.series3 { stroke-dasharray: 8 4; }
.line.series4 { stroke-dasharray: 3 3; }
.line.series6 { stroke-dasharray: 9 3 2 3; }
.line.series7 { stroke-dasharray: 12 4; }
.line.series8 { stroke-width: 1.5; }
.area { fill: var(--c); opacity: .16; }
.bar { fill: var(--c); opacity: .8; }
.bar.series9 { opacity: 1; }
.box { fill: var(--c); }
footer { margin-top: 44px; font-size: 14px; }
@media (max-width: 700px) {
  body { padding: 22px 16px 40px; }
  h1 { font-size: 23px; }
  .wide { display: none; } .narrow { display: block; }
  .columns { display: block; }
  .cards { grid-template-columns: 1fr 1fr; }
  .findings li { padding-left: 0; }
  .findings .judged { position: static; margin-right: 6px; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  h2, h3 { break-after: avoid; }
  .wide { display: block; } .narrow { display: none; }
  .findings li, .cards, tr { break-inside: avoid; }
  .box, .bar, .judged, .answer { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace

std::string_view report_style() { return style; }

}  // namespace detent::tool
