// SPDX-License-Identifier: MIT
#include <detent/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace detent {
namespace {

TEST(Error, HasAMessageOfItsOwnForEachCode) {
  std::set<std::string> messages;
  for (int code = static_cast<int>(errc::capacity_exceeded); code <= static_cast<int>(errc::out_of_memory); ++code) {
    std::error_code reported = make_error_code(static_cast<errc>(code));
    EXPECT_EQ(reported.value(), code);
    EXPECT_EQ(&reported.category(), &error_category());
    EXPECT_FALSE(reported.message().empty());
    EXPECT_TRUE(messages.insert(reported.message()).second) << reported.message();
  }
  EXPECT_FALSE(error_category().message(0).empty());
  EXPECT_FALSE(error_category().message(12'345).empty());
}

TEST(Error, ConvertsImplicitlyAndComparesWithItsCode) {
  std::error_code reported = errc::stopped;
  EXPECT_EQ(reported, errc::stopped);
  EXPECT_NE(reported, errc::forked);
  EXPECT_STREQ(error_category().name(), "detent");
}

TEST(Error, HasWhatItWasGiven) {
  error thrown(make_error_code(errc::invalid_option), "tick = 0");
  EXPECT_EQ(thrown.code(), errc::invalid_option);
  EXPECT_NE(std::string(thrown.what()).find("tick = 0"), std::string::npos);
}

}  // namespace
}  // namespace detent
