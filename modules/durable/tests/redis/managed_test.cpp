// SPDX-License-Identifier: MIT
// Tests the store on Redis where somebody else operates it: keys are evicted, and commands are denied.
#include "pretended_server.hpp"
#include "redis_server.hpp"
#include "script_caller.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include "../nodes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace durable_test {
namespace {

using detent::test::redis_server;
using detent::test::script_caller;
using detent::test::timer;

// Keys that others have, of 1 kB each. The script has no blanks, which part the words of a command.
void write_foreign(const redis_server& to, const std::string& name, int count, bool is_volatile) {
  ASSERT_EQ(to.ask("EVAL for\ti=1," + std::to_string(count) + "\tdo\tredis.call('SET','foreign:" + name +
                   ":'..i,string.rep('x',1000)" + (is_volatile ? ",'EX',10000" : "") + ")end 0"),
            "");
}

void put_some(timers& in, const std::string& name, int count) {
  for (int i = 0; i != count; ++i)
    in.schedule_at(now() + std::chrono::milliseconds(i % 200), "write", {}, {.key = name + std::to_string(i)});
}

// How often each ran: all of them once.
void expect_each_once(const journal& book, std::size_t count) {
  EXPECT_TRUE(soon([&] { return book.size() >= count; }));
  std::map<std::string, int> runs;
  for (const journal::line& line : book.lines()) ++runs[line.key];
  EXPECT_EQ(runs.size(), count);
  for (const auto& [key, times] : runs) EXPECT_EQ(times, 1) << key;
}

class DurableRedisEvictions : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_P(DurableRedisEvictions, TakeNothingFromTheStoreAndWhatFindsNoRoomWaits) {
  constexpr int rounds = 20;
  constexpr int timers_each = 50;
  const redis_server server({"--maxmemory", "8mb", "--maxmemory-policy", GetParam()});
  journal book;
  a_node node(redis_store(server.path(), {.shards = 4}), book);
  node.on.start();
  for (int round = 0; round != rounds; ++round) {
    put_some(node.on, std::to_string(round) + ".", timers_each);
    write_foreign(server, std::to_string(round), 1000, true);
  }
  expect_each_once(book, rounds * timers_each);
  EXPECT_EQ(server.ask("INFO stats").find("evicted_keys:0\r"), std::string::npos);

  write_foreign(server, "stays", 9000, false);
  ASSERT_TRUE(soon([&] { return server.ask("SET foreign 1").starts_with("-OOM"); })) << "nothing is left to evict";
  put_some(node.on, "late.", timers_each);
  EXPECT_TRUE(soon([&] { return node.reported->has(errc::unavailable); }));
  EXPECT_GT(node.on.metrics().outbox, 0u);
  EXPECT_EQ(book.runs_of("late.0"), 0);
  server.ask("CONFIG SET maxmemory 64mb");
  EXPECT_TRUE(node.on.flush(60s));
  expect_each_once(book, (rounds + 1) * timers_each);
}

INSTANTIATE_TEST_SUITE_P(Policies, DurableRedisEvictions, ::testing::Values("volatile-lru", "volatile-random"),
                         [](const auto& its) { return its.index == 0 ? "Lru" : "Random"; });

class DurableRedisManaged : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_F(DurableRedisManaged, NoKeyOfAStoreHasATimeToLive) {
  const redis_server server;
  journal book;
  const auto other = redis_store(server.path(), {.shards = 1});
  a_node node(redis_store(server.path(), {.shards = 1}), book, options{.horizon = 1h});
  node.on.handle("h", [](job&) { return outcome::done(); });
  node.on.start();
  ASSERT_TRUE(soon([&] { return node.on.metrics().shards_owned == 1; }));
  record its = timer("k", 1);
  its.due = stored_time(std::chrono::floor<std::chrono::microseconds>(now().time_since_epoch()) + 30min);
  ASSERT_EQ(detent::test::put(*other, its), errc{});
  ASSERT_TRUE(soon([&] { return node.on.metrics().in_hand == 1; }));
  const auto asked = detent::test::apply(*other, cancel_request{0, "k", 7});
  ASSERT_EQ(asked.status, change_status::asked);
  ASSERT_TRUE(soon([&] { return server.ask("EXISTS detent:{00}:answer:7") == "1"; }));
  std::istringstream all(server.ask("KEYS *"));
  std::size_t count = 0;
  for (std::string key; all >> key; ++count) {
    const std::string left = server.ask("TTL " + key);
    EXPECT_TRUE(left == "-1" || left == "-2") << key << ": " << left;  // -2: the node has emptied it since
  }
  EXPECT_GE(count, 5u);
}

TEST_F(DurableRedisManaged, AnswersAndTurnsAreErasedWhenTheirTimeHasPassed) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1});
  for (const char* const line :
       {"SET detent:{00}:answer:7 1", "SET detent:{00}:turn:old 5", "SET detent:{00}:answer:8 1",
        "ZADD detent:{00}:passing 1 detent:{00}:answer:7 2 detent:{00}:turn:old 9000000000000000 "
        "detent:{00}:answer:8"})
    server.ask(line);
  ASSERT_EQ(detent::test::put(*store, timer("k", 1)), errc{});
  EXPECT_EQ(server.ask("EXISTS detent:{00}:answer:7 detent:{00}:turn:old"), "0");
  EXPECT_EQ(server.ask("EXISTS detent:{00}:answer:8"), "1");
  EXPECT_EQ(server.ask("ZCARD detent:{00}:passing"), "2") << "and this node's turn";
}

// These are the ones in docs/durable-redis.md.
constexpr const char* everything_safe = "~detent:* &detent:announced:* +@all -@dangerous";
constexpr const char* least =
    "~detent:* &detent:announced:* -@all +@connection +@read +@write +@pubsub +@scripting +time +cluster|slots "
    "-@dangerous";

class DurableRedisRights : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_P(DurableRedisRights, SufficeForAllThatAStoreDoes) {
  const redis_server server;
  ASSERT_EQ(server.ask("ACL SETUSER gateway on >pw " + std::string(GetParam())), "OK");
  ASSERT_EQ(server.ask("ACL DRYRUN gateway INFO").find("OK"), std::string::npos);
  const redis_options how{.shards = 4, .user = "gateway", .password = "pw"};
  journal book;
  a_node node(redis_store(server.path(), how), book);
  const auto other = redis_store(server.path(), how);
  node.on.start();
  put_some(node.on, "a", 100);
  node.on.schedule_at(now() + 10s, "write", {}, {.key = "later"});
  expect_each_once(book, 100);
  ASSERT_TRUE(node.on.flush(60s));
  EXPECT_TRUE(soon([&] { return node.on.list({}).size() == 1; })) << "the ends are written, too";
  const std::string later = stored_key("later");
  EXPECT_EQ(detent::test::apply(*other, cancel_request{shard_of("later", {}, 4), later, 7}).status,
            change_status::cancelled);
  std::vector<shard_state> states(4);
  EXPECT_EQ(other->look(states), errc{});

  server.ask("CLIENT KILL TYPE normal SKIPME yes");  // another connection, and perhaps another server
  put_some(node.on, "b", 100);
  expect_each_once(book, 200);
  std::istringstream log(server.ask("ACL LOG"));
  for (std::string word; log >> word;) EXPECT_TRUE(word != "object" || (log >> word && word == "info")) << word;
}

INSTANTIATE_TEST_SUITE_P(Documented, DurableRedisRights, ::testing::Values(everything_safe, least),
                         [](const auto& its) { return its.index == 0 ? "AllThatIsSafe" : "TheLeast"; });

TEST_F(DurableRedisManaged, ARenamedInfoIsNotMissed) {
  const redis_server server({"--rename-command", "INFO", "", "--rename-command", "CONFIG", ""});
  script_caller at(server.path());
  ASSERT_FALSE(at.opened()) << at.opened().text;
  EXPECT_EQ(at.take("A").size(), 4u);
  const redis_server replica({"--replicaof", "127.0.0.1", "1", "--rename-command", "INFO", ""});
  EXPECT_EQ(script_caller(replica.path()).opened().kind, detent::durable::redis::refusal::read_only);
}

TEST_F(DurableRedisManaged, WithoutInfoAndHelloTheNeedIsNamed) {
  const redis_server server({"--rename-command", "INFO", "", "--rename-command", "HELLO", ""});
  script_caller at(server.path());
  EXPECT_EQ(at.opened().kind, detent::durable::redis::refusal::not_permitted);
  EXPECT_NE(at.opened().text.find("one of INFO and HELLO is needed"), std::string::npos) << at.opened().text;
}

TEST_F(DurableRedisManaged, PoliciesThatEvictWhateverIsThereAreRefusedAndThoseOfVolatileKeysAreNot) {
  for (const std::string policy : {"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}) {
    const detent::test::pretended_server server("redis_version:7.2.4\r\nmaxmemory_policy:" + policy + "\r\n");
    EXPECT_FALSE(script_caller(server.path()).opened()) << policy;
  }
  for (const std::string policy : {"allkeys-lru", "allkeys-lfu", "allkeys-random"}) {
    const detent::test::pretended_server server("redis_version:7.2.4\r\nmaxmemory_policy:" + policy + "\r\n");
    const auto refused = script_caller(server.path()).opened();
    EXPECT_EQ(refused.kind, detent::durable::redis::refusal::not_permitted);
    EXPECT_NE(refused.text.find("has maxmemory-policy " + policy + ", which"), std::string::npos) << refused.text;
    EXPECT_NE(refused.text.find("set it to noeviction or to volatile-lru"), std::string::npos) << refused.text;
  }
}

}  // namespace
}  // namespace durable_test
