// SPDX-License-Identifier: MIT
// The scripts of the Redis store in a real server, where the suite of all stores cannot look: answers that are lost, a
// full server, a newer format.
#include "redis_server.hpp"
#include "script_caller.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace detent {
namespace {

using words = std::vector<std::string>;

// A body: which put it was, its due time, the first attempt, and some text.
std::string id(char put) {
  std::string eight;
  eight.append(8, put);
  return eight;
}
std::string run(char put, std::uint16_t due) {
  std::string head = id(put);
  head.push_back(static_cast<char>(due & 0xff));
  head.push_back(static_cast<char>(due >> 8));
  return head.append(6, '\0');
}
std::string body(char put, std::uint16_t due) { return run(put, due).append("\1\0\0\0text", 8); }
std::string nobody(const std::string& key) { return id('\0').append(key); }

class DurableRedisProtocol : public ::testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_REDIS();
    server = std::make_unique<test::redis_server>();
    at = std::make_unique<test::script_caller>(server->path());
    ASSERT_FALSE(at->opened()) << at->opened().text;
  }

  std::string taken(const std::string& node) {
    const words fence = at->take(node);
    EXPECT_EQ(fence.size(), 1u) << "the shard is " << fence.front() << "'s";
    return fence.front();
  }

  std::unique_ptr<test::redis_server> server;
  std::unique_ptr<test::script_caller> at;
};

TEST_F(DurableRedisProtocol, AFenceIsAboveOneThatThisServerNeverHeardOf) {
  const std::string unheard = taken("A");
  server->ask("FLUSHALL");  // as after a failover to a replica that had not heard of it
  EXPECT_GT(std::stoull(taken("B")), std::stoull(unheard));
}

TEST_F(DurableRedisProtocol, ATakeWhoseAnswerWasLostIsTheSameTerm) {
  const words first = at->take("A", "this take");
  EXPECT_EQ(at->take("A", "this take"), first);
  EXPECT_EQ(at->take("A", "another").front(), "A");
}

TEST_F(DurableRedisProtocol, AnAnswerThatWasLostIsGivenAgain) {
  const std::string fence = taken("A");
  at->put({"k", "a", "100", body('1', 100)});
  const words first = at->read_on("A", fence, "0", "1000");
  EXPECT_EQ(first, (words{"1000", "a", body('1', 100)}));
  EXPECT_EQ(at->read_on("A", fence, "0", "1000"), first);
  at->put({"k", "near", "900", body('2', 900)});
  const words second = at->read_on("A", fence, "1000", "1000");
  EXPECT_EQ(second, (words{"1000", nobody("near"), body('2', 900)}));
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000"), second);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), (words{"1000"}));
  EXPECT_EQ(at->put({"e", "near", "900", body('2', 900)}), (words{"S"})) << "the put, sent again, finds itself";
}

TEST_F(DurableRedisProtocol, AReadThatIsSentAgainTrimsNothingThatDidNotArrive) {
  const std::string fence = taken("A");
  at->read_on("A", fence, "0", "1000");
  at->put({"k", "a", "100", body('1', 100)});
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000"), (words{"1000", nobody("a"), body('1', 100)}));
  at->put({"k", "b", "200", body('2', 200), "k", "c", "300", body('3', 300)});
  const words both = {"1000", nobody("b"), nobody("c"), body('2', 200), body('3', 300)};
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), both);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), both);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "3"), words{"1000"});
}

TEST_F(DurableRedisProtocol, TheReadLevelThatOthersSeeNeverGoesBack) {
  const std::string fence = taken("A");
  at->read_on("A", fence, "0", "1000");
  EXPECT_EQ(at->read_on("A", fence, "0", "600"), (words{"600"}))
      << "an earlier answer was lost, and the clock set back";
  EXPECT_EQ(server->ask("HGET t:{07}:own upto"), "1000");
  at->put({"k", "near", "900", body('1', 900)});
  EXPECT_EQ(at->read_on("A", fence, "600", "700"), (words{"700", nobody("near"), body('1', 900)}));
}

TEST_F(DurableRedisProtocol, TheSameFenceOfAnotherNodeIsForeign) {
  at->put({"k", "a", "100", body('1', 100)});
  const std::string fence = taken("A");
  EXPECT_EQ(at->end("B", fence, {"e", "a", run('1', 100)}).front().substr(0, 7), "!FENCED");
  EXPECT_EQ(at->failed.kind, durable::redis::refusal::fenced);
  EXPECT_EQ(at->end("A", fence, {"e", "a", run('1', 100)}), (words{"e"}));
  EXPECT_EQ(server->ask("EXISTS t:{07}:due t:{07}:body"), "0");
}

TEST_F(DurableRedisProtocol, AKillThatIsSentAgainFindsItsGrave) {
  const std::string fence = taken("A");
  at->put({"k", "a", "100", body('1', 100)});
  const std::string why("\3\0bad", 5);
  EXPECT_EQ(at->end("A", fence, {"k", "a", run('1', 100), why}), words{"e"});
  EXPECT_EQ(at->end("A", fence, {"k", "a", run('1', 100), why}), words{"e"});
  EXPECT_EQ(at->end("A", fence, {"k", "a", run('2', 100), why}), words{"g"});
}

TEST_F(DurableRedisProtocol, APageGoesOnAfterAKeyThatHasGoneMeanwhile) {
  at->put({"k", "a", "2", body('1', 2), "k", "b", "2", body('2', 2), "k", "c", "2", body('3', 2), "k", "d", "3",
           body('4', 3)});
  EXPECT_EQ(at->list("2", ""), (words{"a", "2", "b", "2", body('1', 2), body('2', 2)}));
  at->call(durable::redis::script::cancel, {"own", "announced", "due", "body", "dead", "grave"},
           {"1", "07", "b", id('1')});
  EXPECT_EQ(at->list("2", "b"), (words{"c", "2", "d", "3", body('3', 2), body('4', 3)}));
}

TEST_F(DurableRedisProtocol, ANewerFormatIsRefusedByAllThatWriteOutsideATerm) {
  const words keys{"own", "announced", "due", "body", "dead", "grave"};
  server->ask("HSET t:{07}:own format 2");
  EXPECT_EQ(at->take("A").front(), "!FOREIGN format 2");
  EXPECT_EQ(at->put({"k", "a", "1", body('1', 1)}).front(), "!FOREIGN format 2");
  EXPECT_EQ(at->failed.kind, durable::redis::refusal::foreign);
  EXPECT_EQ(at->call(durable::redis::script::cancel, keys, {"1", "07", "b", id('1')}).front(), "!FOREIGN format 2");
  EXPECT_EQ(at->call(durable::redis::script::revive, keys, {"1", "07", "b", "1", id('1')}).front(),
            "!FOREIGN format 2");
  EXPECT_EQ(server->ask("EXISTS t:{07}:due"), "0");
}

TEST_F(DurableRedisProtocol, AFullServerRefusesTimersWholeAndOwnersGoOn) {
  at->put({"k", "a", "100", body('1', 100), "k", "b", "200", body('2', 200), "k", "c", "300", body('3', 300)});
  const std::string fence = taken("A");
  server->ask("CONFIG SET maxmemory 1");
  at->put({"k", "d", "400", body('4', 400)});
  EXPECT_EQ(at->failed.kind, durable::redis::refusal::no_memory) << at->failed.text;
  EXPECT_EQ(server->ask("ZSCORE t:{07}:due d"), "") << "half of a put was left";
  EXPECT_EQ(at->read_on("A", fence, "0", "1000").size(), 7u) << at->failed.text;
  EXPECT_EQ(at->end("A", fence,
                    {"emk", "a", "b", "c", run('1', 100) + run('2', 200) + run('3', 300), "900",
                     body('2', 900).substr(0, 20), std::string("\2\0no", 4)}),
            (words{"eee"}))
      << at->failed.text;
  EXPECT_EQ(at->call(durable::redis::script::give_back, {"own", "announced"}, {"A", fence}), (words{"1"}));
  taken("A");
}

}  // namespace
}  // namespace detent
