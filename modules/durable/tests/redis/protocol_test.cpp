// SPDX-License-Identifier: MIT
// The scripts of the Redis store in a real server, where the suite of all stores cannot look: answers that are lost, a
// full server, another format.
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

// A body: which put it was, its due time, the first attempt, no rule, no names, and some text.
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
std::string head(char put, std::uint16_t due) { return run(put, due).append("\1\0\0\0\0", 5); }
std::string body(char put, std::uint16_t due) { return head(put, due).append("\0\0\0text", 7); }
std::string changed(const std::string& key) { return "p" + id('\0') + key; }

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
    EXPECT_EQ(fence.front(), "1") << "the shard is held";
    return fence.at(1);
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
  EXPECT_EQ(at->take("A", "another").front(), "0");
}

TEST_F(DurableRedisProtocol, ATakeThatIsSentAgainKnowsWhetherTheTermBeforeWasGivenBack) {
  const std::string fence = taken("A");
  server->ask("HSET t:{07}:own until 1");  // the lease has run out
  EXPECT_EQ(at->take("B", "this take").at(2), "1");
  EXPECT_EQ(at->take("B", "this take").at(2), "1");
}

TEST_F(DurableRedisProtocol, AnAnswerThatWasLostIsGivenAgain) {
  const std::string fence = taken("A");
  at->put({"k", "a", body('1', 100)});
  const words first = at->read_on("A", fence, "0", "1000");
  EXPECT_EQ(first, (words{"1000", "", "a", body('1', 100)}));
  EXPECT_EQ(at->read_on("A", fence, "0", "1000"), first);
  at->put({"k", "near", body('2', 900)});
  const words second = at->read_on("A", fence, "1000", "1000");
  EXPECT_EQ(second, (words{"1000", "", changed("near"), body('2', 900)}));
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000"), second);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), (words{"1000", ""}));
  EXPECT_EQ(at->put({"x", "near", body('2', 900)}), (words{"s"})) << "the put, sent again, finds itself";
}

TEST_F(DurableRedisProtocol, AReadThatIsSentAgainTrimsNothingThatDidNotArrive) {
  const std::string fence = taken("A");
  at->read_on("A", fence, "0", "1000");
  at->put({"k", "a", body('1', 100)});
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000"), (words{"1000", "", changed("a"), body('1', 100)}));
  at->put({"k", "b", body('2', 200), "k", "c", body('3', 300)});
  const words both = {"1000", "", changed("b"), changed("c"), body('2', 200), body('3', 300)};
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), both);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "1"), both);
  EXPECT_EQ(at->read_on("A", fence, "1000", "1000", "3"), (words{"1000", ""}));
}

TEST_F(DurableRedisProtocol, TheReadLevelThatOthersSeeNeverGoesBack) {
  const std::string fence = taken("A");
  at->read_on("A", fence, "0", "1000");
  EXPECT_EQ(at->read_on("A", fence, "0", "600"), (words{"600", ""}))
      << "an earlier answer was lost, and the clock set back";
  EXPECT_EQ(server->ask("HGET t:{07}:own upto"), "1000");
  at->put({"k", "near", body('1', 900)});
  EXPECT_EQ(at->read_on("A", fence, "600", "700"), (words{"700", "", changed("near"), body('1', 900)}));
}

TEST_F(DurableRedisProtocol, AReadingGoesOnWithinAnInstantBehindAKeyThatHasGone) {
  const std::string fence = taken("A");
  at->put({"k", "a", body('1', 100), "k", "b", body('2', 100), "k", "c", body('3', 100), "k", "d", body('4', 200)});
  EXPECT_EQ(at->read_on("A", fence, "0", "1000", "0", "", "2"),
            (words{"100", "b", "a", "b", body('1', 100), body('2', 100)}));
  EXPECT_EQ(at->end("A", fence, "EE", run('1', 100) + run('2', 100), {"a", "b"}), (words{"ee"}));
  EXPECT_EQ(at->read_on("A", fence, "100", "1000", "0", "b", "1"), (words{"100", "c", "c", body('3', 100)}));
  at->put({"m", "c", head('5', 200)});
  EXPECT_EQ(at->read_on("A", fence, "100", "1000", "0", "c", "1"),
            (words{"200", "c", "c", body('5', 200), changed("c"), body('5', 200)}))
      << "at another time now";
}

TEST_F(DurableRedisProtocol, KeysOfOneInstantAreComparedByTheirBytes) {
  const std::string fence = taken("A");
  const std::string high = "\xff", low(1, '\0');  // as the server's locale would not have them
  at->put({"k", "B", body('1', 100), "k", "a", body('2', 100), "k", high, body('3', 100)});
  EXPECT_EQ(at->read_on("A", fence, "0", "1000", "0", "", "2"),
            (words{"100", "a", "B", "a", body('1', 100), body('2', 100)}));
  EXPECT_EQ(at->put({"k", "Z", body('4', 100), "k", low, body('5', 100), "k", "aa", body('6', 100)}), (words{"sss"}));
  server->ask("ZREM t:{07}:due a");  // found by halves
  EXPECT_EQ(at->read_on("A", fence, "100", "100", "0", "a"),
            (words{"100", "", "aa", high, body('6', 100), body('3', 100), changed("Z"), changed(low), body('4', 100),
                   body('5', 100)}));
}

TEST_F(DurableRedisProtocol, TheSameFenceOfAnotherNodeIsForeign) {
  at->put({"k", "a", body('1', 100)});
  const std::string fence = taken("A");
  EXPECT_EQ(at->end("B", fence, "E", run('1', 100), {"a"}), (words{"f"}));
  EXPECT_EQ(at->end("A", fence, "E", run('1', 100), {"a"}), (words{"e"}));
  EXPECT_EQ(server->ask("EXISTS t:{07}:due t:{07}:body"), "0");
}

TEST_F(DurableRedisProtocol, AnEndWhoseTermIsOverLeavesTheOtherChangesOfItsCall) {
  const std::string fence = taken("A");
  at->put({"k", "a", body('1', 100)});
  EXPECT_EQ(at->apply({"kEc", "A", "1", "", run('1', 100), "3", "b", "a", "c", body('2', 200), id('?')},
                      {"answer:9", "answer:8"}),
            (words{"sfg"}));
  EXPECT_EQ(server->ask("EXISTS t:{07}:answer:9"), "0");
  EXPECT_EQ(server->ask("ZCARD t:{07}:due"), "2");
}

TEST_F(DurableRedisProtocol, AKillThatIsSentAgainFindsItsGrave) {
  const std::string fence = taken("A");
  at->put({"k", "a", body('1', 100)});
  const std::string why("\3\0bad", 5);
  EXPECT_EQ(at->end("A", fence, "K", run('1', 100), {"a", why}), words{"e"});
  EXPECT_EQ(at->end("A", fence, "K", run('1', 100), {"a", why}), words{"e"});
  EXPECT_EQ(at->end("A", fence, "K", run('2', 100), {"a", why}), words{"g"});
}

TEST_F(DurableRedisProtocol, AnotherFormatIsRefusedByAllThatWriteOutsideATerm) {
  for (const std::string other : {"1", "3"}) {
    server->ask("HSET t:{07}:own format " + other);
    EXPECT_EQ(at->take("A").front(), "!FOREIGN format " + other);
    EXPECT_EQ(at->put({"k", "a", body('1', 1)}).front(), "!FOREIGN format " + other);
    EXPECT_EQ(at->failed.kind, durable::redis::refusal::foreign);
    EXPECT_EQ(at->cancel("b", id('1')).front(), "!FOREIGN format " + other);
  }
  EXPECT_EQ(server->ask("EXISTS t:{07}:due"), "0");
}

TEST_F(DurableRedisProtocol, AFullServerRefusesTimersWholeAndOwnersGoOn) {
  at->put({"k", "a", body('1', 100), "k", "b", body('2', 200), "k", "c", body('3', 300)});
  const std::string fence = taken("A");
  server->ask("CONFIG SET maxmemory 1");
  at->put({"k", "d", body('4', 400)});
  EXPECT_EQ(at->failed.kind, durable::redis::refusal::no_memory) << at->failed.text;
  EXPECT_EQ(server->ask("ZSCORE t:{07}:due d"), "") << "half of a put was left";
  EXPECT_EQ(at->read_on("A", fence, "0", "1000").size(), 8u) << at->failed.text;
  EXPECT_EQ(
      at->end("A", fence, "MK", run('2', 200) + run('3', 300), {"b", "c", head('2', 900), std::string("\2\0no", 4)}),
      (words{"ee"}))
      << at->failed.text;
  EXPECT_EQ(at->apply({"rkEc", "A", fence, "", run('1', 100), "", "b", "d", "a", "b", body('5', 500), body('4', 400),
                       id('?')}),
            (words{"uueu"}))
      << "with ends in one call: a cancel waits for the put of its key. " << at->failed.text;
  EXPECT_EQ(server->ask("ZRANGE t:{07}:due 0 -1 WITHSCORES"), "b 900");
  EXPECT_EQ(server->ask("EXISTS t:{07}:grave"), "1");
  EXPECT_EQ(at->call(durable::redis::script::give_back, {"own", "announced"}, {"A", fence}), (words{"1"}));
  taken("A");
}

}  // namespace
}  // namespace detent
