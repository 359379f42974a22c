// SPDX-License-Identifier: MIT
// Tests the store on Redis whose master a Sentinel names.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <no_sigpipe.hpp>

#include <detent/durable_redis.hpp>

#include "../nodes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace durable_test {
namespace {

using detent::test::put;
using detent::test::redis_server;
using detent::test::timer;

// A master and a replica on ports, and a Sentinel that watches them.
struct watched {
  std::vector<int> ports = detent::test::free_ports(3);
  redis_server master{
      {"--port", port(0), "--repl-diskless-sync-delay", "0", "--requirepass", "pw", "--masterauth", "pw"}};
  redis_server replica{
      {"--port", port(1), "--requirepass", "pw", "--masterauth", "pw", "--replicaof", "127.0.0.1", port(0)}};
  std::unique_ptr<redis_server> sentinel;

  std::string port(std::size_t number) const { return std::to_string(ports[number]); }

  watched() {
    // A Sentinel looks for replicas again after ten seconds.
    soon([&] { return ask(master, "INFO replication").find("state=online") != std::string::npos; });
    sentinel = std::make_unique<redis_server>(redis_server::sentinel{
        ports[2],
        {"sentinel monitor orders 127.0.0.1 " + port(0) + " 1", "sentinel auth-pass orders pw",
         "sentinel down-after-milliseconds orders 300", "sentinel failover-timeout orders 3000"}});
  }
  // Again where the connection is lost: a Sentinel cuts those of a server that it promotes.
  static std::string ask(const redis_server& whom, const std::string& command) {
    const redis::no_sigpipe guard;
    for (int left = 100;; --left) {
      try {
        return whom.ask(command, "pw");
      } catch (const std::runtime_error&) {
        if (left == 0) throw;
      }
    }
  }
  // The replica has what the master has had until now.
  bool has_replicated() const {
    ask(master, "SET mark 1");
    return soon([&] { return ask(replica, "EXISTS mark") == "1"; });
  }
  std::string address() const { return "127.0.0.1:1,127.0.0.1:" + port(2); }  // one of them is away
  static redis_options how(shard_id shards = 4) {
    return {.shards = shards, .password = "pw", .patience = 700ms, .sentinel = {.master = "orders"}};
  }
};

class DurableRedisSentinel : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_F(DurableRedisSentinel, ATimerThatTheReplicaHasRunsAfterTheMasterIsKilled) {
  watched servers;
  journal book;
  a_node node(redis_store(servers.address(), watched::how()), book);
  node.on.start();
  constexpr int count = 400;
  for (int i = 0; i != count; ++i) node.on.schedule_at(now() + 10ms * i, "write", {}, {.key = "t" + std::to_string(i)});
  ASSERT_TRUE(node.on.flush(60s));
  ASSERT_TRUE(servers.has_replicated());
  servers.master.kill();
  const auto killed = now();
  EXPECT_TRUE(soon([&] { return watched::ask(servers.replica, "ROLE").starts_with("master"); }));
  for (int i = 0; i != count; ++i) EXPECT_TRUE(soon([&] { return book.runs_of("t" + std::to_string(i)) >= 1; })) << i;
  for (const journal::line& line : book.lines()) EXPECT_GE(line.started, line.due) << line.key;
  EXPECT_GT(book.lines().back().started, killed);

  node.on.schedule_at(now(), "write", {}, {.key = "after"});
  EXPECT_TRUE(node.on.flush(60s));
  EXPECT_TRUE(soon([&] { return book.runs_of("after") == 1; }));
  EXPECT_TRUE(soon([&] { return !watched::ask(servers.replica, "PUBSUB CHANNELS detent:announced:*").empty(); }))
      << "it listens to the new master";
}

// The old master is cut off from the Sentinels, so none of them makes it a replica.
TEST_F(DurableRedisSentinel, AMasterThatIsReplacedIsLeftThoughItAnswers) {
  const watched servers;
  const auto store = redis_store(servers.address(), watched::how(1));
  ASSERT_EQ(put(*store, timer("a", 1)), errc{});
  ASSERT_TRUE(servers.has_replicated());
  ASSERT_EQ(watched::ask(servers.replica, "REPLICAOF NO ONE"), "OK");
  ASSERT_EQ(servers.sentinel->ask("SENTINEL REMOVE orders"), "OK");
  ASSERT_EQ(servers.sentinel->ask("SENTINEL MONITOR orders 127.0.0.1 " + servers.port(1) + " 1"), "OK");
  std::uint64_t id = 1;
  EXPECT_TRUE(soon([&] {
    ++id;
    return put(*store, timer("b" + std::to_string(id), id)) == errc{} &&
           watched::ask(servers.replica, "HLEN detent:{00}:body") == "2";
  }));
  EXPECT_TRUE(watched::ask(servers.master, "ROLE").starts_with("master"));
}

std::string refusal_of(const std::string& address, const redis_options& how, std::error_code wanted) {
  try {
    redis_store(address, how);
  } catch (const detent::error& why) {
    EXPECT_EQ(why.code(), wanted) << why.what();
    EXPECT_EQ(std::string(why.what()).find("geheim"), std::string::npos) << why.what();
    return why.what();
  }
  ADD_FAILURE() << "is not refused";
  return {};
}

TEST_F(DurableRedisSentinel, EachMistakeIsSaidInASentence) {
  const auto port = std::to_string(detent::test::free_ports(1).front());
  const redis_server sentinel(redis_server::sentinel{detent::test::free_ports(1).front(),
                                                     {"sentinel monitor orders 127.0.0.1 1 1", "requirepass right"}});
  const auto with = [](std::string master, std::string user, std::string password) {
    return redis_options{.patience = 5s, .sentinel = {std::move(master), std::move(user), std::move(password)}};
  };
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(refusal_of(sentinel.path(), with("shop", "", "right"), errc::unavailable), "knows no master 'shop'");
  says(refusal_of(sentinel.path(), with("orders", "", "geheim"), errc::not_permitted), "WRONGPASS");
  says(refusal_of(sentinel.path(), with("orders", "", ""), errc::not_permitted), "sentinel.password");
  says(refusal_of(sentinel.path(), with("orders", "", "right"), errc::unavailable), "127.0.0.1:1: Connection refused");
  says(refusal_of("127.0.0.1:" + port, with("orders", "", ""), errc::unavailable), "Connection refused");
  const redis_server server;
  says(refusal_of(server.path(), with("orders", "", ""), errc::unsupported),
       "is none: give the addresses of Sentinels");
  says(refusal_of(sentinel.path(), with("", "", "geheim"), detent::errc::invalid_option), "without sentinel.master");
  says(refusal_of(sentinel.path(), with("orders", "u", ""), detent::errc::invalid_option),
       "sentinel.user 'u' without sentinel.password");
}

}  // namespace
}  // namespace durable_test
