// SPDX-License-Identifier: MIT
#include "wire/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "wire/message_text.hpp"

namespace {

using wire::message;
using wire::message_type;
using wire::tag;

std::string problem_of(std::string_view line) {
  std::string problem;
  EXPECT_FALSE(message::parse(line, problem)) << line;
  return problem;
}

TEST(GatewayMessage, HasItsFieldsByTag) {
  std::string problem;
  const auto order = message::parse("35=D|11=42|54=1|58=a b|", problem);
  ASSERT_TRUE(order) << problem;
  EXPECT_EQ(order->type(), message_type::new_order);
  EXPECT_EQ(order->number(tag::order_id), 42);
  EXPECT_EQ(order->letter(tag::side), '1');
  EXPECT_EQ(order->text(tag::text), "a b");
  EXPECT_EQ(order->text(tag::sender), std::nullopt);
}

TEST(GatewayMessage, TakesStartOfHeaderAsASeparator) {
  std::string problem;
  const auto logon = message::parse(
      "35=A\x01"
      "49=ALICE\x01"
      "108=1000\x01",
      problem);
  ASSERT_TRUE(logon) << problem;
  EXPECT_EQ(logon->text(tag::sender), "ALICE");
  EXPECT_EQ(logon->number(tag::heartbeat_interval), 1000);
}

TEST(GatewayMessage, KeepsWhatIsBehindTheFirstEqualsSign) {
  std::string problem;
  const auto found = message::parse("35=0|58=a=b=c", problem);
  ASSERT_TRUE(found) << problem;
  EXPECT_EQ(found->text(tag::text), "a=b=c");
}

TEST(GatewayMessage, SaysInOneLineWhyALineIsNone) {
  const std::vector<std::pair<std::string_view, std::string_view>> lines{
      {"", "the first field is not 35"},
      {"|", "field 1 has no '='"},
      {"hello", "field 1 has no '='"},
      {"35=0||58=x", "field 2 has no '='"},
      {"35=0|58", "field 2 has no '='"},
      {"11=1|35=D", "the first field is not 35"},
      {"35=DD|11=1", "type 'DD' is unknown"},
      {"=|=", "tag '' is no number from 1 to 99999"},
      {"35=0|x=1", "tag 'x' is no number from 1 to 99999"},
      {"35=0|-1=1", "tag '-1' is no number from 1 to 99999"},
      {"35=0|0=1", "tag '0' is no number from 1 to 99999"},
      {"35=0|100000=1", "tag '100000' is no number from 1 to 99999"},
      {"35=0|99999999999999999999=1", "tag '99999999999999999999' is no number from 1 to 99999"},
      {"35=D|11=|54=1", "tag 11 is empty"},
      {"35=0|35=0", "tag 35 comes twice"},
      {"35=0|58=\x07", "byte 0x07 at 8"},
      {"35=0|58=\xc3\xa4", "byte 0xc3 at 8"},
      {"35=0|1=1|2=2|3=3|4=4|5=5|6=6|7=7|8=8|9=9|10=0|11=1|12=2|13=3|14=4|15=5|16=6", "more than 16 fields"},
  };
  for (const auto& [line, why] : lines) EXPECT_EQ(problem_of(line), why) << line;
}

TEST(GatewayMessage, CutsWhatItQuotes) {
  const std::string problem = problem_of("35=0|" + std::string(500, 'x') + "=1");
  EXPECT_LT(problem.size(), 80u) << problem;
}

TEST(GatewayMessage, HasANumberOnlyWhereTheWholeTextIsOne) {
  std::string problem;
  for (const char* text : {"1x", "x", "1.5", "+1", " 1", "9223372036854775808"}) {
    const std::string line = std::string("35=D|11=") + text;
    const auto found = message::parse(line, problem);
    ASSERT_TRUE(found) << problem;
    EXPECT_EQ(found->number(tag::order_id), std::nullopt) << text;
  }
  const auto least = message::parse("35=D|11=-9223372036854775808", problem);
  ASSERT_TRUE(least) << problem;
  EXPECT_EQ(least->number(tag::order_id), INT64_MIN);
}

TEST(GatewayMessage, HasALetterOnlyWhereThereIsOne) {
  std::string problem;
  const auto found = message::parse("35=D|54=12", problem);
  ASSERT_TRUE(found) << problem;
  EXPECT_EQ(found->letter(tag::side), '\0');
  EXPECT_EQ(found->letter(tag::order_type), '\0');
}

TEST(GatewayMessageText, IsReadAsItWasWritten) {
  std::string line;
  wire::message_text(line, message_type::report)
      .with(tag::order_id, 7)
      .with(tag::execution, wire::execution::expired)
      .with(tag::expire_time, wire::from_wire(123456789));
  EXPECT_EQ(line, "35=8|11=7|150=C|126=123456789\n");
  std::string problem;
  const auto found = message::parse(std::string_view(line).substr(0, line.size() - 1), problem);
  ASSERT_TRUE(found) << problem;
  EXPECT_EQ(found->type(), message_type::report);
  EXPECT_EQ(found->number(tag::expire_time), 123456789);
}

}  // namespace
