// SPDX-License-Identifier: MIT
#include <detent/error.hpp>

#include "support/platform/over_quota.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>
#include <type_traits>

namespace detent {
namespace {

TEST(Error, HasAMessageOfItsOwnForEachCode) {
  std::set<std::string> messages;
  for (int code = static_cast<int>(errc::capacity_exceeded); code <= static_cast<int>(errc::dropped); ++code) {
    if (code == 10) continue;  // DETENT_ERROR_OTHER, of C
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

TEST(Error, SaysWhatItWasGivenAndNothingElse) {
  const error thrown(errc::invalid_option, "tick = 0 ns: must be at least 1 ns");
  const error copied = thrown;
  EXPECT_EQ(copied.code(), errc::invalid_option);
  EXPECT_STREQ(copied.what(), "tick = 0 ns: must be at least 1 ns");
  const std::system_error& as_any_other = thrown;
  EXPECT_STREQ(as_any_other.what(), thrown.what());
  EXPECT_EQ(error(errc::stopped).what(), make_error_code(errc::stopped).message());
  static_assert(std::is_nothrow_copy_constructible_v<error>);
}

TEST(Error, HasTheSameCodeForTheSameCause) {
  for (int denied : {EACCES, EPERM, EROFS, EBUSY}) EXPECT_EQ(detail::code_of(denied), errc::not_permitted) << denied;
  for (int too_many : {EMFILE, ENFILE, EAGAIN, ENOSPC, drive::over_quota, EFBIG})
    EXPECT_EQ(detail::code_of(too_many), errc::limit_reached) << too_many;
  for (int wrong : {ENOENT, EISDIR, ENAMETOOLONG, EINVAL, ENODEV})
    EXPECT_EQ(detail::code_of(wrong), errc::invalid_option) << wrong;
  EXPECT_EQ(detail::code_of(ENOMEM), errc::out_of_memory);
}

}  // namespace
}  // namespace detent
