// SPDX-License-Identifier: MIT
// Whole screens, as text.
#include "top/top_screen.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_engines.hpp"
#include "support/snapshot.hpp"
#include "top/top_table.hpp"

namespace detent::tool {
namespace {

using test::add_label;
using test::busy_reading;
using test::reading_of;

top_view view_of() { return {.time = "12:00:00", .where = "on this host"}; }

// A gateway with two labels that its worker makes late, and an idle engine driven by its caller, in three readings.
top_model two_engines() {
  top_model model;
  for (const std::int64_t seconds : {100, 101, 102}) {
    const auto count = static_cast<std::uint64_t>(seconds);
    engine_reading gateway = busy_reading("gateway", 4242, seconds, 120'000, seconds == 102 ? 90'000 : 40'000);
    gateway.snapshot.totals[counter::restarted] = 2'500 * count;
    gateway.snapshot.totals[counter::cancelled] = 500;
    gateway.snapshot.totals[counter::slow] = 3;
    add_label(gateway, "heartbeat", 10 * count, 2'000);
    add_label(gateway, "retransmit", 100'000 * count, 40'000);
    engine_reading idle = reading_of("a-rather-long-name", 77, seconds);
    idle.snapshot.identity.worker_thread = 0;
    idle.worker_cpu.reset();
    model.take({{gateway, idle}, {}});
  }
  return model;
}

std::string shown(const top_model& model, std::size_t width, std::size_t height, bool unicode = true,
                  const top_view& view = view_of()) {
  const screen_grid grid = draw_top(model, view, width, height, unicode);
  EXPECT_EQ(grid.width(), width);
  EXPECT_EQ(grid.height(), height);
  return grid.text();
}

TEST(TopScreen, IsThatOfTheSnapshot) {
  test::snapshot screens("command/tests/snapshots/top_screen.txt");
  const top_model model = two_engines();
  screens.add("80 by 24", shown(model, 80, 24));
  screens.add("without room for more than the table", shown(model, 60, 10));
  screens.add("too narrow", shown(model, 39, 24));
  screens.add("too low", shown(model, 80, 5));
  screens.add("as plain text, which has every engine and column", top_text(model, view_of(), true));
  top_view help = view_of();
  help.help = true;
  screens.add("help", shown(model, 80, 24, true, help));
  top_model failing;
  engine_reading gateway = busy_reading("gateway", 4242, 100, 100, 40'000);
  gateway.snapshot.totals[counter::failed] = 2;
  gateway.snapshot.last_error = "no route to 10.0.0.1";
  gateway.snapshot.last_error_at = gateway.snapshot.read_at - 3 * test::second;
  failing.take({{gateway}, {}});
  const std::string failures = shown(failing, 80, 24);
  top_model stalled;
  engine_reading waiting = gateway;
  waiting.snapshot.stall = "clock_off: 10 stored timers wait";
  stalled.take({{waiting}, {}});
  screens.add("why work waits, above the failures", test::changed_lines(failures, shown(stalled, 80, 24)));
  gateway.snapshot.totals[counter::failed] = 0;
  gateway.snapshot.last_error.clear();
  top_model other;
  other.take({{gateway}, {}});
  screens.add("the last error below the failures", test::changed_lines(shown(other, 80, 24), failures));
}

TEST(TopScreen, ShowsMissedPeriodsInRedInEveryPart) {
  top_model model;
  for (const std::int64_t seconds : {100, 101}) {
    const std::uint64_t missed = seconds == 100 ? 20 : 320;
    engine_reading gateway = busy_reading("gateway", 4242, seconds, 100, 40'000);
    gateway.snapshot.totals[counter::missed] = missed;
    add_label(gateway, "beats", 10, 2'000);
    gateway.snapshot.labels[0].counts[label_counter::missed] = missed;
    model.take({{gateway}, {}});
  }
  const screen_grid grid = draw_top(model, view_of(), 120, 30, false);
  EXPECT_NE(grid.text().find("320 periods missed"), std::string::npos);
  int red = 0;  // a rate of 300 per second: in the table, beside the causes, and of the label
  for (std::size_t row = 0; row < grid.height(); ++row) {
    const std::size_t at = grid.row_text(row).find(" 300 ");
    const bool last = grid.row_text(row).ends_with("missed/s      300");
    if (at != std::string::npos) red += grid.at(row, at + 1).style == text_style::alarm;
    if (last) red += grid.at(row, grid.row_text(row).size() - 1).style == text_style::alarm;
  }
  EXPECT_EQ(red, 3) << grid.text();
}

TEST(TopScreen, ShowsWhatExecutorsHaveNotBegun) {
  top_model model;
  for (const std::int64_t seconds : {100, 101}) {
    engine_reading handing = busy_reading("handing", 4242, seconds, 100, 40'000);
    handing.snapshot.totals[counter::handed_over] = handing.snapshot.totals[counter::fired] + 70;
    handing.snapshot.gauges[gauge::let_go] = 30;
    model.take({{handing, busy_reading("inline", 77, seconds, 100, 30'000)}, {}});
  }
  const std::size_t wide = 160;
  const screen_grid grid = draw_top(model, view_of(), wide, 30, true);
  const std::size_t end = grid.row_text(3).find("QUEUED") + 6;
  ASSERT_LT(end, wide) << grid.text();
  EXPECT_EQ(grid.row_text(4).substr(end - 6, 6), "    40") << grid.text();
  EXPECT_EQ(grid.row_text(5).substr(end - 6, 6), "     -") << grid.text();
  EXPECT_NE(grid.text().find(" queued         40\n"), std::string::npos) << grid.text();
}

TEST(TopScreen, ShowsAsciiAloneWhereTheLocaleKnowsNoMore) {
  const std::string text = shown(two_engines(), 80, 24, false);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << static_cast<int>(c);
  EXPECT_NE(text.find("######"), std::string::npos);
  EXPECT_NE(text.find("-- gateway - process 4242"), std::string::npos);
}

TEST(TopScreen, IsDrawnInAnySize) {
  for (std::size_t width = 0; width < 140; width += 3) {
    for (std::size_t height = 0; height < 50; height += 1) draw_top(two_engines(), view_of(), width, height, true);
  }
}

TEST(TopScreen, MarksTheSelectedRowAndTheColumnOfTheOrder) {
  top_model model = two_engines();
  model.move_selection(1);
  const screen_grid grid = draw_top(model, view_of(), 80, 24, true);
  EXPECT_EQ(grid.at(4, 0).style, text_style::plain);
  EXPECT_EQ(grid.at(5, 0).style, text_style::selected);
  const std::size_t p99 = grid.row_text(3).find("P99");
  EXPECT_EQ(grid.at(3, p99).style, text_style::sorted);
  EXPECT_EQ(grid.at(3, p99 - 3).style, text_style::heading);
}

TEST(TopScreen, ScrollsSoThatTheSelectedEngineIsSeen) {
  host_reading host;
  for (std::int64_t process = 100; process < 150; ++process) {
    host.engines.push_back(reading_of("e" + std::to_string(process), process, 1));
  }
  top_model model;
  model.take(host);
  model.move_selection(49);
  const std::string text = shown(model, 80, 24);
  EXPECT_NE(text.find("\n149 e149"), std::string::npos);
  EXPECT_EQ(text.find("e100 "), std::string::npos);
}

TEST(TopScreen, ScrollsColumnsUntilTheOneOfTheOrderIsSeen) {
  const top_model model = two_engines();
  const std::size_t scrolled = scrolled_to(top_column::margin, model.rows(), 80, 0);
  EXPECT_GE(lay_out(model.rows(), 80, scrolled).places.back().column, top_column::margin);
  EXPECT_LT(lay_out(model.rows(), 80, scrolled - 1).places.back().column, top_column::margin);
  EXPECT_EQ(scrolled_to(top_column::scheduled, model.rows(), 80, scrolled), 0U);
}

TEST(TopScreen, CutsNamesOfAnyCharactersAtTheirColumn) {
  top_model model;
  model.take({{reading_of("名前名前名前名前名前名前名前", 5, 1), reading_of("e\u0301tat", 6, 1)}, {}});
  const screen_grid grid = draw_top(model, view_of(), 80, 24, true);
  for (const std::size_t row : {4U, 5U}) EXPECT_EQ(grid.row_text(row).substr(grid.row_text(row).size() - 5), " 25.0");
  EXPECT_EQ(draw_top(model, view_of(), 80, 24, false).row_text(4).substr(0, 13), "  5 ?????????");
}

}  // namespace
}  // namespace detent::tool
