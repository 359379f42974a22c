// SPDX-License-Identifier: MIT
// Errors name the limits of the kernel that they come from.
#include <detent/error.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

namespace detent {
namespace {

TEST(Limits, AreNamedWithTheirValueAndWhereTheyAreSet) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const std::string value = limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
  EXPECT_EQ(detail::explain(EMFILE), "Too many open files; raise RLIMIT_NOFILE, which is " + value +
                                         " (ulimit -n, LimitNOFILE= of the service)");
  EXPECT_EQ(detail::explain(EPERM), "Operation not permitted");
}

}  // namespace
}  // namespace detent
