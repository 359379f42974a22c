// SPDX-License-Identifier: MIT
#include "report/report_page.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "page_words.hpp"
#include "support/snapshot.hpp"

namespace detent::tool {
namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

std::size_t times(const std::string& text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

// A page made of invented samples.
class made_up_page : public testing::Test {
 protected:
  void fires(std::int64_t t_ns, std::int64_t late_ns) {
    lateness_.record(late_ns);
    over_time_.record(t_ns, late_ns);
    wait_.record(late_ns);
    callback_.record(100);
  }
  void has_floor() {
    floor_.spin.record(20, 400);
    floor_.sleep.record(50'000, 400);
  }
  std::string html() {
    page.lateness = &lateness_;
    page.over_time = &over_time_;
    page.floor = &floor_;
    page.pending = &pending_;
    page.why = {late_scenario::slept, ""};
    page.causes = lateness_causes::of({lateness_log(), wait_, lateness_log(), lateness_log()}, callback_);
    return page.html();
  }

  report_page page{.title = "title", .settings = "settings"};
  pending_series pending_;

 private:
  lateness_log lateness_, wait_, callback_;
  lateness_series over_time_;
  machine_floor floor_;
};
using ReportPage = made_up_page;

// Each figure has a heading, a legend with an entry, and two drawings with a text, one or two titles, and marks.
void expect_whole_figures(const std::string& html, std::size_t figures) {
  EXPECT_EQ(times(html, "<figure>"), figures);
  for (std::size_t at = html.find("<figure>"); at != std::string::npos; at = html.find("<figure>", at + 1)) {
    const std::string figure = html.substr(at, html.find("</figure>", at) - at);
    EXPECT_EQ(times(figure, "<h3>"), 1U);
    EXPECT_GE(times(figure, "<li>"), 1U);
    EXPECT_EQ(times(figure, "role=\"img\" aria-label=\""), 2U);
    EXPECT_EQ(times(figure, "class=\"title\""), 4U);
    EXPECT_GE(times(figure, "class=\"mark\""), 6U) << figure;
    for (const char* no_number : {"\"nan", " nan", "-nan", "inf"}) EXPECT_EQ(times(figure, no_number), 0U) << figure;
  }
}

TEST_F(ReportPage, SaysWhatTheSnapshotSays) {
  test::snapshot pages("command/tests/snapshots/report_page.txt");
  has_floor();
  for (int i = 0; i < 1000; ++i) fires(i * 1000, i);
  pending_.add(5, 7);
  page.alerts = {"7 operations are missing."};
  page.findings = {{.subject = "first", .judged = severity::bad, .seen = "a", .cure = "this"},
                   {.subject = "second", .judged = severity::note, .seen = "b", .cure = "that"},
                   {.subject = "third", .judged = severity::fine, .seen = "c"}};
  const std::string text = html();
  expect_whole_figures(text, 6);
  EXPECT_EQ(text.find("http"), std::string::npos);
  pages.add("of a thousand timers", test::words_of(text));
}

TEST_F(ReportPage, HasACureOnlyForTimersThatAreLate) {
  const std::string cure = "Why: the worker slept, with wait_options::sleep(). What helps: wait_options::hybrid()";
  has_floor();
  for (int i = 0; i < 1000; ++i) fires(i * 1000, 90'000);
  EXPECT_EQ(html().find(cure), std::string::npos);
  for (int i = 0; i < 1000; ++i) fires(1'000'000 + i * 1000, 110'000);
  EXPECT_NE(html().find(cure), std::string::npos);
}

TEST_F(ReportPage, OfOneTimerThatWasNotLateAtAll) {
  has_floor();
  fires(0, 0);
  const std::string text = html();
  expect_whole_figures(text, 3);
  EXPECT_NE(text.find("The engine counted no lateness."), std::string::npos);
}

TEST_F(ReportPage, OfTheGreatestValues) {
  has_floor();
  fires(0, 1);
  fires(longest, longest);
  pending_.add(0, 1);
  pending_.add(std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max());
  expect_whole_figures(html(), 6);
}

TEST_F(ReportPage, OfVirtualTimeHasNoLateness) {
  pending_.add(0, 1);
  page.pending = &pending_;
  const std::string text = page.html();
  expect_whole_figures(text, 1);
  EXPECT_NE(text.find("They were not, by construction"), std::string::npos);
}

TEST_F(ReportPage, EscapesWhateverItShows) {
  const std::string hostile = "<script>alert('x')</script>&\"\x1b[31m\xff";
  page.title = page.settings = page.command = page.began = hostile;
  for (text_table* each : {&page.headline, &page.summary, &page.engine, &page.machine}) each->add(hostile, hostile);
  page.alerts = {hostile};
  page.findings = {{.subject = hostile,
                    .judged = severity::bad,
                    .seen = hostile,
                    .where = hostile,
                    .meaning = hostile,
                    .cure = hostile}};
  has_floor();
  fires(0, 1);
  const std::string text = html();
  EXPECT_EQ(times(text, "<script"), 0U);
  EXPECT_EQ(times(text, "alert('x')"), 0U);
  EXPECT_EQ(text.find_first_of("\x1b\xff"), std::string::npos);
  EXPECT_GE(times(text, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), 19U);
}

}  // namespace
}  // namespace detent::tool
