// SPDX-License-Identifier: MIT
#include "page/console_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "made_up_console.hpp"
#include "page/console_script.hpp"
#include "page_words.hpp"
#include "support/snapshot.hpp"
#include "top/top_column.hpp"

namespace detent::tool {
namespace {

using namespace test;

// Reads the table of engines from the top.
std::vector<std::string> rows_of(const std::string& page) {
  std::vector<std::string> ids;
  constexpr std::string_view row = "<tr id=\"e-";
  for (std::size_t at = page.find(row); at != std::string::npos; at = page.find(row, at + 1))
    ids.push_back(page.substr(at + row.size(), page.find('"', at + row.size()) - at - row.size()));
  return ids;
}

console_engine& engine_called(console_view& view, std::string_view name) {
  for (console_engine& each : view.engines)
    if (each.row.identity.name == name) return each;
  throw std::logic_error("no such engine");
}

TEST(ConsolePage, ShowsTheTextOfOthersAsText) {
  const std::string hostile = "\"><script>alert(1)</script>";
  for (const console_view& view : {console_view(), made_up_view(), troubled_view(), hostile_view()}) {
    const std::string page = page_of(view,
                                     {.engine = hostile,
                                      .reload = true,
                                      .find = hostile,
                                      .key = hostile,
                                      .engines = {hostile, ""},
                                      .labels = {"", hostile},
                                      .all = {hostile, "engines"},
                                      .is_long = true},
                                     hostile_lookup());
    EXPECT_EQ(times(page, "<script"), 1U);
    EXPECT_EQ(times(page, "style="), 0U);
    EXPECT_EQ(times(page, "alert(1)"), times(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_EQ(times(page, "\xe2\x80\xae"), 0U);  // changes the direction of the following text
  }
  const console_view view = hostile_view();
  // Each engine has two names in the tables; host, labels, keys and the rest come in addition.
  EXPECT_GT(times(page_of(view), "&lt;script&gt;"), 2 * view.engines.size());
}

TEST(ConsolePage, HasTheWorstFirst) {
  console_view view = made_up_view();
  EXPECT_NE(page_of(view).find("<p class=\"fine\">Nothing.</p>"), std::string::npos);
  EXPECT_EQ(rows_of(page_of(view)).front(), engine_called(view, "sessions").id);  // it has the largest p99
  console_engine& loop = engine_called(view, "game-loop");
  loop.row.rates[counter::missed] = 12 / loop.seconds;
  const std::string page = page_of(view);
  EXPECT_EQ(rows_of(page).front(), loop.id);
  EXPECT_NE(page.find("12 periods missed in the last 5 min"), std::string::npos);
  EXPECT_NE(page.find("data-engine=\"" + loop.id + "\""), std::string::npos);  // the script stays with this engine
  EXPECT_NE(page.find("<title>1 bad, gw-fra-07"), std::string::npos);
  EXPECT_EQ(between(page, "<h2 id=\"engine\">", "</h2>"), "<h2 id=\"engine\">Engine <bdi>game-loop</bdi>");
  EXPECT_EQ(between(page_of(view, {.engine = engine_called(view, "sessions").id}), "<h2 id=\"engine\">", "</h2>"),
            "<h2 id=\"engine\">Engine <bdi>sessions</bdi>");
}

// A timer was overdue at the last reading, for want of a CPU, but others ran. So that is not the reason for the rest.
TEST(ConsolePage, SaysWhyATimerIsOverdueOnlyOfAnEngineThatRunsNone) {
  console_view view = made_up_view();
  console_engine& loop = engine_called(view, "game-loop");
  loop.next_due = -4e9;
  loop.row.why = {late_scenario::behind_callbacks};
  loop.row.why_overdue = {late_scenario::worker_starved};
  loop.row.times[cause::lateness].p99 = 5e6;
  const auto why = [&] { return between(page_of(view, {.engine = loop.id}), "Why: ", "."); };
  EXPECT_EQ(why(), "Why: other callbacks ran first");
  loop.history.back().fired = 0;
  EXPECT_EQ(why(), "Why: the worker had too little CPU");
}

// The part and the share beside it follow the same rule.
TEST(ConsolePage, NamesThePartWithTheLargestShareBesideThatShare) {
  console_view view = made_up_view();
  figures_by_cause& times = engine_called(view, "game-loop").row.times;
  times[cause::drain].sum = 250;
  times[cause::wait].sum = 748;
  times[cause::worker].sum = 2;
  times[cause::dispatch].sum = 0;
  times[cause::drain].p99 = 2 * times[cause::wait].p99;
  EXPECT_NE(page_of(view).find("wait <span class=\"unit\">75 %</span>"), std::string::npos);
  EXPECT_EQ(text_of(top_column::late_by, engine_called(view, "game-loop").row), "wait");
}

console_view short_of(console_view view) {
  view.store->next.resize(3);
  return view;
}

TEST(ConsolePage, SaysWhatTheSnapshotSays) {
  test::snapshot pages("command/tests/snapshots/console_page.txt");
  pages.add("a host with something of each kind that needs attention", words_of(page_of(short_of(troubled_view()))));
  pages.add("no engine", words_of(page_of({.now = noon, .directory = "/dev/shm"})));
  const console_query shown{.engine = made_up_view().engines[0].id};  // only this one, even if another is worse
  const std::string quiet = words_of(page_of(short_of(made_up_view()), shown));
  const auto add = [&](const char* title, const std::function<void(console_view&)>& change) {
    console_view view = short_of(made_up_view());
    change(view);
    const std::string page = page_of(view, shown);
    EXPECT_EQ(times(between(page, "<h2 id=\"attention\">", "</section>"), "<li>"), 1U) << title;
    pages.add(title, changed_lines(quiet, words_of(page)));
  };
  add("the next timer is late", [](console_view& view) {
    view.engines[3].next_due = -4e9;
    view.engines[3].history.back().fired = 0;
  });
  add("an executor that starts nothing", [](console_view& view) {
    view.engines[3].queued = 7;
    for (std::size_t i = 1; i <= 6; ++i) view.engines[3].history.rbegin()[static_cast<std::ptrdiff_t>(i) - 1].fired = 0;
  });
  add("an engine whose process was killed", [](console_view& view) {
    view.engines[3].live = false;
    view.engines[3].killed = true;
  });
  add("a timer was dropped", [](console_view& view) { view.engines[3].row.rates[counter::dropped] = 1.0 / 300; });
  add("slow callbacks", [](console_view& view) { view.engines[3].row.rates[counter::slow] = 2.0 / 300; });
  add("a shard is missing", [](console_view& view) { view.engines[0].row.set->found = 3; });
  add("a shard without an owner", [](console_view& view) { view.store->shards[2].node.clear(); });
  add("an owner that is not known", [](console_view& view) { view.store->shards[2].node_known = false; });
  add("late in reading", [](console_view& view) { view.store->shards[2].lag = 9e9; });
  add("the store's next timer is late",
      [](console_view& view) { view.store->next[0].due = noon - std::chrono::seconds(80); });
  add("dead timers", [](console_view& view) { view.store->shards[2].dead = 3; });
  add("a store that cannot be read", [](console_view& view) {
    view.store->trouble = "timed out";
    view.now += std::chrono::seconds(70);
  });
  add("a store that does not answer", [](console_view& view) { view.store->silent = 70; });
  add("handlers that no node runs", [](console_view& view) { view.store->unrun = {"expire_order", "bill\n"}; });
  add("a node that is lost", [](console_view& view) {
    view.store->nodes[1].is = console_node::state::lost;
    view.store->nodes[1].seen = noon - std::chrono::seconds(70);
  });
  add("a finding", [](console_view& view) {
    view.findings.push_back({.subject = "CPU", .judged = severity::bad, .seen = "governor powersave"});
  });
  add("a file that is cut", [](console_view& view) { view.troubles = {"/dev/shm/detent.1.0: cut short"}; });
}

TEST(ConsolePage, ShowsWhatWasFoundAndOpened) {
  test::snapshot pages("command/tests/snapshots/console_lookup.txt");
  const std::string quiet = words_of(page_of(short_of(made_up_view())));
  const auto add = [&](const char* title, const console_lookup& lookup) {
    pages.add(title, changed_lines(quiet, words_of(page_of(short_of(made_up_view()), {}, lookup))));
  };
  add("found, and opened", made_up_lookup());
  add("nothing found", {.search = console_search{.text = "none", .is_done = true}});
  add("searching", {.search = console_search{.text = "late"}});
  add("a search that failed", {.search = console_search{.text = "x", .trouble = "timed out", .is_done = true}});
  console_lookup gone{.opening = console_opening{.key = "order:1", .is_read = true}};
  add("opened, and gone", gone);
  gone.opening->is_read = false;
  add("being opened", gone);
  gone.opening->trouble = "timed out";
  add("cannot be opened", gone);
}

TEST(ConsolePage, LeadsToEachTimerByItsBytes) {
  console_view view = made_up_view();
  view.store->next[0].key = "a&b\xff#1";
  view.store->next[0].partition = "\"e u\"";
  EXPECT_NE(page_of(view).find("href=\"?key=a%26b%FF%231&amp;partition=%22e%20u%22#timer\""), std::string::npos);
  const std::string reloading = page_of(view, {.reload = true, .find = "a b", .key = "k", .partition = "p"});
  EXPECT_NE(reloading.find("href=\"?reload=1&amp;key=a%26b%FF"), std::string::npos);
  EXPECT_NE(reloading.find("href=\"?find=a%20b&amp;key=k&amp;partition=p&amp;reload=1\""), std::string::npos);
}

TEST(ConsolePage, ShowsEveryEngineOnce) {
  console_view view = made_up_view();
  for (int i = 0; i < 200; ++i)
    view.engines.push_back(made_up_engine("session", 9000 + i, 100 + i, 600 + i * 7919 % 5000));
  const std::string some = page_of(view);
  EXPECT_EQ(rows_of(some).size(), 20U) << "the others are not sent, nor are shards";
  EXPECT_NE(some.find(">184 more</a>"), std::string::npos);
  std::vector<std::string> rows = rows_of(page_of(view, {.all = {"engines", view.engines[0].id}})), expected;
  for (const console_engine& each : view.engines) {
    expected.push_back(each.id);
    for (const console_engine& shard : each.shards) expected.push_back(shard.id);
  }
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(rows, expected);
}

TEST(ConsolePage, DrawsNoLineOverTimeWithoutSamples) {
  console_view view = made_up_view();
  view.engines = {made_up_engine("feed", 1, 100, 1000)};
  const auto pieces = [&] {
    const std::string figure = between(page_of(view), "<h3>Lateness", "</figure>");
    return times(figure, "<path class=\"line series1\"");
  };
  EXPECT_EQ(pieces(), 1U);
  std::vector<console_sample>& history = view.engines[0].history;
  for (std::size_t i = 40; i < 50; ++i) history[i].p99.reset();  // nothing fired
  EXPECT_EQ(pieces(), 2U);
  history.erase(history.begin() + 100, history.begin() + 110);  // were not read
  EXPECT_EQ(pieces(), 3U);
}

TEST(ConsolePage, ReloadsByItselfOnlyIfAsked) {
  constexpr std::string_view reload = "<noscript><meta http-equiv=\"refresh\"";
  EXPECT_EQ(times(page_of(made_up_view()), reload), 0U);
  const std::string page = page_of(made_up_view(), {.reload = true});
  EXPECT_EQ(times(page, reload), 1U);
  std::size_t links = 0;
  for (std::size_t at = page.find("href=\"?"); at != std::string::npos; at = page.find("href=\"?", at + 1), ++links) {
    const std::string address = page.substr(at, page.find_first_of("#>", at) - at);
    const bool stops = page.compare(page.find('>', at), 15, ">stop reloading") == 0;
    EXPECT_EQ(address.find("reload=1") == std::string::npos, stops) << address;
  }
  EXPECT_GT(links, 20U) << "an engine is chosen, and the reloading goes on";
}

TEST(ConsolePage, SaysOfWhatTimeTheFiguresAre) {
  console_view view = made_up_view();
  for (console_engine& each : view.engines) each.seconds = 290;
  EXPECT_NE(page_of(view).find("missed and slow: the last 4 min 50 s;"), std::string::npos);
  view.engines.back().seconds = 155;
  EXPECT_NE(page_of(view).find("missed and slow: the last 2 min 35 s to 4 min 50 s, by engine;"), std::string::npos);
}

TEST(ConsoleScript, IsSmall) { EXPECT_LE(console_script().size(), 4096U); }

}  // namespace
}  // namespace detent::tool
