// SPDX-License-Identifier: MIT
#include "top/top_session.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "made_up_engines.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

using test::busy_reading;
using wish = top_session::wish;

class a_session_with_two_engines : public testing::Test {
 protected:
  a_session_with_two_engines() { look(); }

  void look() {
    ++seconds_;
    session.take({{busy_reading("slow", 7, seconds_, 100, 40'000), busy_reading("fast", 8, seconds_, 900, 1'000)}, {}},
                 "12:00:00");
  }
  wish press(char32_t key) { return session.press(key, 80, 24); }
  void type(std::string_view text) {
    for (const char c : text) press(static_cast<unsigned char>(c));
  }
  std::string text() const { return session.screen(80, 24, true).text(); }
  bool shows(std::string_view part) const { return text().find(part) != std::string::npos; }
  std::string selected() { return session.model().selected_row()->identity.name; }

  top_session session{1, "on this host"};

 private:
  std::int64_t seconds_ = 0;
};
using TopSession = a_session_with_two_engines;

TEST_F(TopSession, QuitsAndReadsAgainWhenAsked) {
  EXPECT_EQ(press('q'), wish::quit);
  EXPECT_EQ(press(' '), wish::look);
  EXPECT_EQ(press('z'), wish::none);
}

TEST_F(TopSession, ArrowsSelect) {
  EXPECT_EQ(selected(), "slow");
  press(key_down);
  EXPECT_EQ(selected(), "fast");
  EXPECT_TRUE(shows(" fast - process 8 "));
  press(key_up);
  EXPECT_EQ(selected(), "slow");
  press(key_end);
  EXPECT_EQ(selected(), "fast");
  press(key_home);
  EXPECT_EQ(selected(), "slow");
}

TEST_F(TopSession, LettersSort) {
  for (const auto& [key, column] : {std::pair{'N', top_column::process},
                                    {'E', top_column::engine},
                                    {'S', top_column::scheduled},
                                    {'F', top_column::fired},
                                    {'T', top_column::pending},
                                    {'L', top_column::p99},
                                    {'M', top_column::most},
                                    {'P', top_column::cpu},
                                    {'B', top_column::backlog}}) {
    press(static_cast<char32_t>(key));
    EXPECT_EQ(session.model().sorted_by(), column);
    EXPECT_TRUE(shows(form_of(column).heading)) << key;
  }
}

TEST_F(TopSession, AnglesSortByTheNextColumnAndScrollToIt) {
  press('>');
  EXPECT_EQ(session.model().sorted_by(), top_column::most);
  press('<');
  press('<');
  EXPECT_EQ(session.model().sorted_by(), top_column::p50);
  EXPECT_FALSE(shows(" SHARD P99"));
  for (int i = 0; i < 30; ++i) press('>');
  EXPECT_EQ(session.model().sorted_by(), top_column::worst);
  EXPECT_TRUE(shows(" SHARD P99"));
  for (int i = 0; i < 30; ++i) press('<');
  EXPECT_EQ(session.model().sorted_by(), top_column::process);
  press('R');
  EXPECT_TRUE(session.model().reversed());
}

TEST_F(TopSession, EnterTakesTheLowerPartAway) {
  EXPECT_TRUE(shows("SHARE"));
  press(key_enter);
  EXPECT_FALSE(shows("SHARE"));
}

TEST_F(TopSession, DAsksForTheDelay) {
  press('d');
  type("0.2x");
  press(key_backspace);
  type("5");
  EXPECT_TRUE(shows("now 1s (Esc: as it is): 0.25_"));
  press(key_enter);
  EXPECT_DOUBLE_EQ(session.delay(), 0.25);
  press('d');
  type("9");
  press(key_escape);
  EXPECT_DOUBLE_EQ(session.delay(), 0.25);
  press('d');
  type("never");
  press(key_enter);
  EXPECT_DOUBLE_EQ(session.delay(), 0.25);
  EXPECT_TRUE(shows("'never'"));
}

TEST_F(TopSession, AMessageStaysForAWhile) {
  session.take({}, "12:00:00");
  EXPECT_TRUE(shows("fast of process 8 and 1 more have ended") || shows("slow of process 7 and 1 more have ended"));
  for (int i = 0; i < 4; ++i) session.take({}, "12:00:00");
  EXPECT_TRUE(shows("have ended"));
  for (int i = 0; i < 4; ++i) session.take({}, "12:00:00");
  EXPECT_FALSE(shows("have ended"));
}

TEST(TopDelay, IsBetweenATenthOfASecondAndADay) {
  EXPECT_DOUBLE_EQ(delay_of("--delay", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(delay_of("--delay", "3"), 3);
  for (const char* text : {"0", "0.05", "-1", "nan", "", "86401"}) EXPECT_THROW(delay_of("--delay", text), usage_error);
}

}  // namespace
}  // namespace detent::tool
