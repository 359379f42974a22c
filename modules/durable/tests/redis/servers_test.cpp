// SPDX-License-Identifier: MIT
// Tests the Redis store with a server that is old, closed, gone, elsewhere, or has forgotten everything.
#include "free_ports.hpp"
#include "pretended_server.hpp"
#include "redis_server.hpp"
#include "script_caller.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace detent {
namespace {

using durable::redis::refusal;
using test::redis_server;
using test::script_caller;
using words = std::vector<std::string>;

class DurableRedisServers : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_F(DurableRedisServers, AnAddressIsAPathOrAHostWithAPort) {
  EXPECT_EQ(durable::redis::parse_address("redis.sock"), (durable::redis::address{"redis.sock", 0}));
  EXPECT_EQ(durable::redis::parse_address("./a:1"), (durable::redis::address{"./a:1", 0}));
  EXPECT_EQ(durable::redis::parse_address("[::1]:6379"), (durable::redis::address{"::1", 6379}));
  EXPECT_EQ(durable::redis::parse_addresses("a:1,b:2").size(), 2u);
  for (const char* const bad : {"", "host:", "host:0", "host:65536", "host:6379x", ":6379", "a:1,,b:2", "a:1,"})
    EXPECT_THROW(static_cast<void>(durable::redis::parse_addresses(bad)), std::invalid_argument) << bad;
}

TEST_F(DurableRedisServers, AnOldServerIsRefusedWithItsVersion) {
  const test::pretended_server old("redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n");
  script_caller at(old.path());
  EXPECT_NE(at.opened().text.find("is Redis 6.0.16: durable timers need 6.2 or newer"), std::string::npos)
      << at.opened().text;
  const test::pretended_server young("redis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n");
  EXPECT_FALSE(script_caller(young.path()).opened());
}

TEST_F(DurableRedisServers, EachWordingOfARefusalIsKnown) {
  for (const auto& [text, kind] :
       {std::pair("ERR The user executing the script can't run this command or subcommand", refusal::not_permitted),
        {"ERR ACL failure in script: User a has no permissions to run the 'zadd' command", refusal::not_permitted},
        {"ERR Error running script (call to f_1): @user_script:9: @user_script: 9: The user executing the script can't "
         "publish to the channel mentioned in the command",
         refusal::not_permitted},
        {"ERR Error running script (call to f_1): @user_script:9: -OOM command not allowed", refusal::no_memory},
        {"ERR Error running script (call to f_1): @user_script:9: attempt to index a nil value", refusal::unexpected},
        {"DENIED Redis is running in protected mode because protected mode is enabled", refusal::not_permitted},
        {"ERR max number of clients reached", refusal::busy},
        {"ERR max number of clients + cluster connections reached", refusal::busy},
        {"ERR unknown command", refusal::unexpected}})
    EXPECT_EQ(durable::redis::classify(text), kind) << text;
}

TEST_F(DurableRedisServers, AnAddressThatIsNoneIsAnErrorOfTheCall) {
  for (const char* const answer : {"-MOVED 3999 host:0", "-ASK 3999 host:70000"}) {
    const test::pretended_server strange("redis_version:7.0.0\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n",
                                         answer);
    script_caller at(strange.path());
    ASSERT_FALSE(at.opened()) << at.opened().text;
    at.take("A");
    EXPECT_EQ(at.failed.kind, refusal::unexpected) << at.failed.text;
  }
}

TEST_F(DurableRedisServers, WhatWasNotSentInTimeIsNotSentLater) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  const int least = 1;  // of what the kernel takes in
  ::setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&where), size), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&where), &size), 0);
  durable::redis::link to({"127.0.0.1", ntohs(where.sin_port)}, {{}, std::chrono::milliseconds(50)});
  EXPECT_EQ(to.open().kind, refusal::lost);
  const int client = ::accept(listening, nullptr, nullptr);
  std::string had;
  char some[4096];
  ssize_t got = 0;
  while ((got = ::read(client, some, sizeof some)) > 0) had.append(some, static_cast<std::size_t>(got));
  EXPECT_EQ(got, -1) << "it ends as if all had been sent";
  EXPECT_EQ(had.find(durable::redis::text(durable::redis::script::look)), std::string::npos);
  ::close(client);
  ::close(listening);
}

TEST_F(DurableRedisServers, AReplicaAloneIsRefusedAndItsMasterIsFound) {
  const redis_server master;
  const redis_server replica({"--replicaof", "127.0.0.1", "1"});
  EXPECT_EQ(script_caller(replica.path()).opened().kind, refusal::read_only);
  script_caller at(replica.path() + "," + master.path());
  ASSERT_FALSE(at.opened()) << at.opened().text;
  EXPECT_EQ(at.take("A").size(), 4u);
  EXPECT_EQ(master.ask("EXISTS t:{07}:own"), "1");
}

TEST_F(DurableRedisServers, APromotedReplicaIsFoundWhenTheMasterIsDemotedOrDead) {
  redis_server first;
  redis_server second;
  script_caller at(first.path() + "," + second.path());
  at.put({"k", "a", std::string(24, '1')});
  first.ask("REPLICAOF 127.0.0.1 1");
  at.put({"k", "b", std::string(24, '2')});
  EXPECT_FALSE(at.failed) << at.failed.text;
  EXPECT_EQ(second.ask("ZCARD t:{07}:due"), "1");
  first.ask("REPLICAOF NO ONE");
  second.kill();
  at.put({"k", "c", std::string(24, '3')});
  EXPECT_FALSE(at.failed) << at.failed.text;
}

TEST_F(DurableRedisServers, FlushedScriptsAndCutConnectionsAreNotNoticed) {
  const redis_server server;
  script_caller at(server.path());
  at.take("A");
  server.ask("SCRIPT FLUSH");
  at.take("A");
  EXPECT_FALSE(at.failed) << at.failed.text;
  server.ask("CLIENT KILL TYPE normal SKIPME yes");
  at.take("A");
  EXPECT_FALSE(at.failed) << at.failed.text;
}

TEST_F(DurableRedisServers, AClusterOfOneNodeThatDoesNotKnowItsHostIsFoundByItsSocket) {
  const redis_server node({"--port", std::to_string(test::free_ports(1).front()), "--cluster-enabled", "yes",
                           "--cluster-port", std::to_string(test::free_ports(1).front())});
  ASSERT_EQ(node.ask("CLUSTER ADDSLOTSRANGE 0 16383"), "OK");
  script_caller at(node.path());
  ASSERT_FALSE(at.opened()) << at.opened().text;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do at.take("A");
  while (at.failed.kind == refusal::busy && std::chrono::steady_clock::now() < end);
  EXPECT_FALSE(at.failed) << at.failed.text;
}

TEST_F(DurableRedisServers, AClusterIsFollowedToTheNodeThatHasTheSlot) {
  const std::vector<int> ports = test::free_ports(3);
  std::vector<std::unique_ptr<redis_server>> nodes;
  for (const int port : ports) {
    nodes.push_back(std::make_unique<redis_server>(words{"--port", std::to_string(port), "--cluster-enabled", "yes",
                                                         "--cluster-port", std::to_string(test::free_ports(1).front()),
                                                         "--cluster-node-timeout", "1000"}));
  }
  test::make_cluster(nodes, ports);
  script_caller at("127.0.0.1:" + std::to_string(ports.front()));
  ASSERT_FALSE(at.opened()) << at.opened().text;
  EXPECT_TRUE(at.to().is_cluster());
  for (int shard = 10; shard != 42; ++shard) {  // some on each node
    at.shard = std::to_string(shard);
    at.take("A");
    EXPECT_FALSE(at.failed) << at.failed.text;
  }
  for (const auto& node : nodes) EXPECT_NE(node->ask("DBSIZE"), "0");

  nodes.back()->ask("CONFIG SET maxmemory-policy allkeys-lru");
  const std::string unfit = script_caller("127.0.0.1:" + std::to_string(ports.front())).opened().text;
  EXPECT_NE(unfit.find(std::to_string(ports.back()) + " has maxmemory-policy allkeys-lru"), std::string::npos) << unfit;
  nodes.back()->ask("CONFIG SET maxmemory-policy noeviction");

  // A slot is given away: the node that had it says so.
  at.shard = "10";
  const unsigned slot = durable::redis::hash_slot("{10}");
  const auto has_it = [&](const auto& node) {
    return node->ask("CLUSTER COUNTKEYSINSLOT " + std::to_string(slot)) != "0";
  };
  const auto from = std::find_if(nodes.begin(), nodes.end(), has_it);
  const auto to = from == nodes.begin() ? nodes.begin() + 1 : nodes.begin();
  (*from)->ask("DEL t:{10}:own");
  const std::string target = (*to)->ask("CLUSTER MYID");
  for (const auto& node : {to, from})
    EXPECT_EQ((*node)->ask("CLUSTER SETSLOT " + std::to_string(slot) + " NODE " + target), "OK");
  at.take("A");
  EXPECT_FALSE(at.failed) << at.failed.text;
  EXPECT_EQ((*to)->ask("CLUSTER COUNTKEYSINSLOT " + std::to_string(slot)), "1");

  // On its way from one to the other: a key that has left is asked for at the new one; several together have to wait.
  const std::string source = (*from)->ask("CLUSTER MYID");
  (*from)->ask("CLUSTER SETSLOT " + std::to_string(slot) + " IMPORTING " + target);
  (*to)->ask("DEL t:{10}:own");
  (*to)->ask("CLUSTER SETSLOT " + std::to_string(slot) + " MIGRATING " + source);
  at.call(durable::redis::script::roll, {"nodes"}, {"A", "1000000"});
  EXPECT_FALSE(at.failed) << at.failed.text;
  EXPECT_EQ((*from)->ask("CLUSTER COUNTKEYSINSLOT " + std::to_string(slot)), "1");
  at.take("A");
  EXPECT_EQ(at.failed.kind, refusal::busy) << at.failed.text;
}

}  // namespace
}  // namespace detent
