// SPDX-License-Identifier: MIT
// Tests the refusal of TLS where hiredis has none.
#include <detent/durable_redis.hpp>

#include <gtest/gtest.h>

#include <string>

namespace detent {
namespace {

TEST(DurableRedisTls, ABuildWithoutItSaysSoAndWhatItNeeds) {
  try {
    durable::redis_store("127.0.0.1:1", {.tls = {.on = true}});
    ADD_FAILURE() << "is not refused";
  } catch (const error& why) {
    EXPECT_EQ(why.code(), durable::errc::unsupported);
    EXPECT_EQ(std::string(why.what()).find("redis_store: tls: this build has hiredis "), 0u) << why.what();
    EXPECT_NE(std::string(why.what()).find(" without TLS: build detent with hiredis 1.0 or newer"), std::string::npos)
        << why.what();
  }
}

TEST(DurableRedisTls, TimersRunOverIt) { GTEST_SKIP() << "hiredis has no TLS here"; }

}  // namespace
}  // namespace detent
