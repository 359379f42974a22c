// SPDX-License-Identifier: MIT
// The choices of a page's reader: order, filter, unfolded parts, the span of the curves.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "made_up_console.hpp"
#include "page/console_page.hpp"
#include "page_words.hpp"

namespace detent::tool {
namespace {

using namespace test;

// Returns the first cell of each row of a table.
std::vector<std::string> names_in(const std::string& page, std::string_view kind) {
  std::vector<std::string> names;
  const std::string table = between(page, "<table class=\"" + std::string(kind) + "\"", "</table>");
  for (std::size_t at = table.find("<bdi>"); at != std::string::npos; at = table.find("<bdi>", at + 1))
    names.push_back(table.substr(at + 5, table.find("</bdi>", at) - at - 5));
  return names;
}

TEST(ConsoleRows, SortsAndFiltersEngines) {
  const console_view view = made_up_view();
  using names = std::vector<std::string>;
  const auto shown = [&](const char* sort, const char* filter = "") {
    return names_in(page_of(view, {.engines = {sort, filter}}), "engines");
  };
  EXPECT_EQ(shown("engine"), (names{"feed-handler", "game-loop", "orders x4", "sessions"}));
  EXPECT_EQ(shown("-engine"), (names{"sessions", "orders x4", "game-loop", "feed-handler"}));
  EXPECT_EQ(shown("pending"), (names{"feed-handler", "orders x4", "game-loop", "sessions"}));
  EXPECT_EQ(shown("-p99"), (names{"feed-handler", "orders x4", "game-loop", "sessions"}));
  EXPECT_EQ(shown("process").front(), "game-loop");
  EXPECT_EQ(shown("no such column"), shown(""));
  EXPECT_EQ(shown("", "SESS"), names{"sessions"});
  EXPECT_EQ(shown("engine", "4711"), (names{"orders x4", "sessions"}));
  const std::string none = page_of(view, {.engines = {"", "nothing has this"}});
  EXPECT_NE(none.find("No engine has that"), std::string::npos);
  EXPECT_EQ(none.find("<h2 id=\"engine\">"), std::string::npos);
  const std::string page = page_of(view, {.engine = "6002.0", .engines = {"p99", ""}, .is_long = true});
  EXPECT_NE(page.find("aria-sort=\"descending\"><a id=\"engines-by-p99\" "
                      "href=\"?engine=6002.0&amp;sort=-p99&amp;span=long#engines\">"),
            std::string::npos)
      << "a second click turns it around, and keeps the rest";
  EXPECT_NE(page.find("href=\"?engine=6002.0&amp;span=long#engines\">worst first"), std::string::npos);
}

TEST(ConsoleRows, SendsOfManyLabelsWhatIsShown) {
  console_view view = made_up_view();
  view.engines = {made_up_engine("feed", 1, 100, 1000)};
  for (int i = 0; i < 255; ++i)
    view.engines[0].row.labels.push_back(made_up_label("label" + std::to_string(i), 1 + i * 7919 % 255, 1000));
  const char* const most = "label91";  // whose rate is 255
  const std::string first = page_of(view);
  EXPECT_EQ(names_in(first, "labels").size(), 20U);
  EXPECT_NE(first.find("?all=labels#labels\">235 more</a>"), std::string::npos);
  EXPECT_EQ(names_in(page_of(view, {.all = {"labels"}}), "labels").size(), 255U);
  EXPECT_EQ(names_in(page_of(view, {.labels = {"fired", ""}}), "labels").front(), most);
  EXPECT_EQ(names_in(page_of(view, {.labels = {"label", "LABEL25"}}), "labels"),
            (std::vector<std::string>{"label25", "label250", "label251", "label252", "label253", "label254"}));
  EXPECT_LT(first.size() + 100'000, page_of(view, {.all = {"labels"}}).size());
}

TEST(ConsoleRows, SaysSinceWhenAnEngineIsBad) {
  console_view view = troubled_view();
  const auto seen = [&] {
    return between(page_of(view), "periods missed", "</li>") + between(page_of(view), "clock_off", "</li>");
  };
  EXPECT_EQ(seen().find("In trouble"), std::string::npos);
  view.engines[1].trouble = trouble_span{.judged = severity::bad, .from = noon - std::chrono::minutes(18)};
  EXPECT_NE(seen().find("In trouble since 11:42:00 UTC, for 18 min."), std::string::npos) << seen();
  view.engines[1].trouble->may_be_older = true;
  EXPECT_NE(seen().find("since 11:42:00 UTC or longer"), std::string::npos) << seen();
  view.engines[1].trouble->judged = severity::warning;  // it has become worse just now
  EXPECT_EQ(seen().find("In trouble"), std::string::npos) << seen();
}

TEST(ConsoleRows, ShowsTheLongHistoryAndThoseThatAreGone) {
  console_view view = made_up_view();
  view.past = {{.id = "e9.0-1",
                .name = "importer",
                .process = 9,
                .first = noon - std::chrono::minutes(50),
                .last = noon - std::chrono::minutes(20),
                .worst = severity::bad}};
  std::vector<console_sample> hour = made_up_engine("x", 1, 10, 10, 360).history;
  for (std::size_t i = 0; i != hour.size(); ++i) {
    hour[i].at = noon - std::chrono::seconds(10) * (359 - i);
    hour[i].seconds = 10;
  }
  const std::string minutes = page_of(view), hours = page_of(view, {.is_long = true}, {.long_samples = hour});
  EXPECT_NE(minutes.find("in the last 5 min: p99"), std::string::npos);
  EXPECT_EQ(times(hours, "At most, in the last 1 h"), 3U);
  EXPECT_EQ(times(between(hours, "<h3>Lateness", "</figure>"), "<path class=\"line series1\""), 1U);
  EXPECT_NE(minutes.find("1 engine of the last 1 h is gone"), std::string::npos);
  const console_query asked{.engine = "e9.0-1", .is_long = true};
  EXPECT_EQ(shown_id(view, asked), "e9.0-1");
  const std::string gone = page_of(view, asked, {.long_samples = hour});
  EXPECT_EQ(between(gone, "<h2 id=\"engine\">", "</h2>"), "<h2 id=\"engine\">Engine <bdi>importer</bdi>");
  EXPECT_NE(gone.find("it is gone, and was last read at"), std::string::npos);
  EXPECT_EQ(gone.find("The engine that was asked for is gone"), std::string::npos);
}

TEST(ConsoleRows, KeepsAllThatWasChosen) {
  const console_query query{.engine = "e1.2-3",
                            .reload = true,
                            .find = "a b",
                            .key = "k\xff&",
                            .partition = "p",
                            .engines = {"-p99", "x=1"},
                            .labels = {"label", "#"},
                            .all = {"engines", "s1-2-3"},
                            .is_long = true};
  const std::string address = address_of(query, "engines");
  EXPECT_EQ(address,
            "?engine=e1.2-3&amp;find=a%20b&amp;key=k%FF%26&amp;partition=p&amp;sort=-p99&amp;filter=x%3D1&amp;"
            "label-sort=label&amp;label-filter=%23&amp;all=engines%2Cs1-2-3&amp;span=long&amp;reload=1#engines");
  const console_query back = page_query_of({{"engine", "e1.2-3"},
                                            {"sort", "-p99"},
                                            {"filter", "x=1"},
                                            {"all", ",engines,,s1-2-3"},
                                            {"span", "long"},
                                            {"reload", "1"},
                                            {"label-sort", "label"},
                                            {"label-filter", "#"},
                                            {"find", "a b"},
                                            {"key", "k\xff&"},
                                            {"partition", "p"}});
  EXPECT_EQ(address_of(back, "engines"), address);
  EXPECT_EQ(address_of({}, ""), "?");
}

}  // namespace
}  // namespace detent::tool
