// SPDX-License-Identifier: MIT
// Tests what only the store on Redis has: its options, several machines, and a server that goes away.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace detent {
namespace {

using namespace std::chrono_literals;
using durable::redis_store;
using test::put;
using test::redis_server;
using test::timer;

class DurableRedisStore : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

std::error_code refused(const std::string& address, const durable::redis_options& how = {}) {
  try {
    redis_store(address, how);
  } catch (const error& why) {
    EXPECT_EQ(std::string(why.what()).find('\n'), std::string::npos);
    EXPECT_EQ(std::string(why.what()).find("redis_store: "), 0u) << why.what();
    return why.code();
  }
  return {};
}

TEST_F(DurableRedisStore, EachBadOptionIsRefusedByItsName) {
  const redis_server server;
  for (const durable::redis_options& bad : {durable::redis_options{.prefix = ""},
                                            {.prefix = "a{b"},
                                            {.shards = 1025},
                                            {.user = "u"},
                                            {.tls = {.ca_file = "ca.pem"}},
                                            {.tls = {.on = true, .certificate_file = "client.pem"}},
                                            {.tls = {.on = true, .key_file = "client.key"}},
                                            {.patience = 0ms},
                                            {.patience = 1h}})
    EXPECT_EQ(refused(server.path(), bad), errc::invalid_option);
  EXPECT_EQ(refused("nowhere:port"), errc::invalid_option);
  EXPECT_FALSE(refused(server.path()));
}

TEST_F(DurableRedisStore, EachUnfitServerIsRefusedByItsReason) {
  EXPECT_EQ(refused("/nonexistent/redis.sock"), durable::errc::unavailable);
  const redis_server evicting({"--maxmemory-policy", "allkeys-random"});
  EXPECT_EQ(refused(evicting.path()), durable::errc::not_permitted);
  const redis_server closed({"--requirepass", "right"});
  EXPECT_EQ(refused(closed.path(), {.password = "wrong"}), durable::errc::not_permitted);
  const redis_server newer;
  newer.ask("HSET detent:{meta}:store shards 64 format 3");
  EXPECT_EQ(refused(newer.path()), durable::errc::foreign_format);
  try {
    redis_store(newer.path(), {.read_only = true});
  } catch (const error& why) {
    EXPECT_EQ(why.what(), "redis_store: Redis at " + newer.path() +
                              ", prefix detent: of format 3, and this version knows 2: use the version that wrote it, "
                              "or another prefix");
  }
  EXPECT_EQ(newer.ask("DBSIZE"), "1") << "and is left alone";
}

TEST_F(DurableRedisStore, WhatIsDamagedInTheServerIsCorruptAndNothingIsThrown) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1});
  durable::shard_state state;
  ASSERT_EQ(store->look({&state, 1}), durable::errc{});
  server.ask("HSET detent:{00}:own fence none");
  EXPECT_EQ(store->look({&state, 1}), durable::errc::corrupt);
  const durable::take_request take{0, 1h};
  durable::take_result taken;
  EXPECT_EQ(store->take("a", {&take, 1}, {&taken, 1}), durable::errc::corrupt);
  server.ask("DEL detent:{00}:own");
  const durable::term_ref term = test::take(*store);
  server.ask("RPUSH detent:{00}:announced short");
  test::read(*store, term);
  server.ask("HSET detent:{meta}:store shards none");
  EXPECT_EQ(refused(server.path()), durable::errc::corrupt);
}

TEST_F(DurableRedisStore, AUserWithoutTheChannelIsRefusedBeforeAnythingIsWritten) {
  const redis_server server;
  const durable::redis_options how{.user = "gateway", .password = "pw"};
  ASSERT_EQ(server.ask("ACL SETUSER gateway on >pw ~detent:* +@all resetchannels"), "OK");
  try {
    redis_store(server.path(), how);
    ADD_FAILURE() << "is not refused";
  } catch (const error& why) {
    EXPECT_EQ(why.code(), durable::errc::not_permitted) << why.what();
    EXPECT_NE(std::string(why.what()).find("+subscribe and &detent:announced:*"), std::string::npos) << why.what();
  }
  EXPECT_EQ(server.ask("DBSIZE"), "0");
  EXPECT_FALSE(refused(server.path()));
  EXPECT_FALSE(refused(server.path(), {.user = "gateway", .password = "pw", .read_only = true})) << "it only looks";
  ASSERT_EQ(server.ask("ACL SETUSER gateway &detent:announced:*"), "OK");
  EXPECT_FALSE(refused(server.path(), how));
}

TEST_F(DurableRedisStore, AListenerThatIsRefusedTriesAgain) {
  const redis_server server;
  ASSERT_EQ(server.ask("ACL SETUSER gateway on >pw ~* &* +@all -subscribe"), "OK");
  const auto store = redis_store(server.path(), {.user = "gateway", .password = "pw"});
  store->listen([](durable::shard_id) {});
  const auto end = std::chrono::steady_clock::now() + 60s;
  const auto until_some = [&](const char* command) {
    while (server.ask(command).empty() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    return std::chrono::steady_clock::now() < end;
  };
  ASSERT_TRUE(until_some("ACL LOG"));
  ASSERT_EQ(server.ask("ACL SETUSER gateway +subscribe"), "OK");
  EXPECT_TRUE(until_some("PUBSUB CHANNELS detent:announced:*"));
}

TEST_F(DurableRedisStore, ANewStoreHasTheShardsAskedForAndAnOldOneKeepsItsOwn) {
  const redis_server server;
  EXPECT_EQ(redis_store(server.path(), {.shards = 7})->shards(), 7);
  EXPECT_EQ(redis_store(server.path(), {.shards = 9})->shards(), 7);
  EXPECT_EQ(redis_store(server.path(), {.prefix = "other", .shards = 9})->shards(), 9);
}

TEST_F(DurableRedisStore, WhoOnlyLooksMakesNoStoreAndChangesNothing) {
  const redis_server server;
  EXPECT_EQ(refused(server.path(), {.read_only = true}), durable::errc::unavailable);
  EXPECT_EQ(refused(server.path(), {.shards = 0}), durable::errc::unavailable);
  EXPECT_EQ(put(*redis_store(server.path(), {.shards = 1}), timer("a", 1)), durable::errc{});
  EXPECT_EQ(put(*redis_store(server.path(), {.shards = 0}), timer("b", 2)), durable::errc{});
  const auto looks = redis_store(server.path(), {.read_only = true});
  EXPECT_EQ(put(*looks, timer("c", 3)), durable::errc::not_permitted);
  const durable::take_request take{0, 1h};
  durable::take_result taken;
  EXPECT_EQ(looks->take("a", {&take, 1}, {&taken, 1}), durable::errc::not_permitted);
  const auto all = test::list_all(*looks, {});
  EXPECT_EQ(all.size(), 2u);
  durable::shard_state state;
  ASSERT_EQ(looks->look({&state, 1}), durable::errc{});
  EXPECT_EQ(state.timers, 2u);
  EXPECT_EQ(state.fence, 0u);
}

TEST_F(DurableRedisStore, ANodeHearsWhatAnotherPutsBelowItsReadLevel) {
  const redis_server server;
  const auto owner = redis_store(server.path(), {.shards = 4});
  const auto other = redis_store(server.path(), {.shards = 4});
  std::array<std::atomic<int>, 4> heard{};
  owner->listen([&](durable::shard_id shard) { ++heard.at(shard); });
  const durable::term_ref term = test::take(*owner, 2);
  test::read(*owner, term, durable::stored_time(std::chrono::seconds(2'000'000'000)));
  server.ask("CLIENT KILL TYPE pubsub");  // the listener connects again
  durable::record near = timer("k", 1);
  near.shard = 2;
  const auto end = std::chrono::steady_clock::now() + 60s;
  // Each connection wakes every shard once, as what was published before it is not heard.
  while (heard[2] < heard[3] + 2 && std::chrono::steady_clock::now() < end) {
    near.key = "k" + std::to_string(++near.id);
    ASSERT_EQ(put(*other, near), durable::errc{});
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(heard[2], heard[3] + 2);
  owner->listen(nullptr);
}

TEST_F(DurableRedisStore, ALongListIsReadInPagesInOrderOfDueTimeAndKey) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1});
  std::vector<durable::change> puts;
  for (std::uint64_t i = 0; i != 3500; ++i)
    puts.emplace_back(durable::put_request{timer("k" + std::to_string(9999 - i), i + 1)});
  std::vector<durable::change_status> statuses(puts.size());
  ASSERT_EQ(store->apply(puts, statuses), durable::errc{});
  const auto calls = [&] {
    const std::string all = server.ask("INFO commandstats");
    return std::stol(
        all.substr(all.find("cmdstat_evalsha:calls=") + std::string_view("cmdstat_evalsha:calls=").size()));
  };
  long before = calls();
  auto all = test::list_all(*store, {.limit = 1'000'000});
  EXPECT_EQ(all.size(), 3500u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const auto& one) { return one.what.key; }));
  EXPECT_GE(calls(), before + 4) << "the server does nothing else for as long as a page takes";
  before = calls();
  all = test::list_all(*store, {.key_prefix = "k99", .limit = 10});
  EXPECT_EQ(all.size(), 10u);
  EXPECT_LE(calls(), before + 4) << "each is a round trip";
}

TEST_F(DurableRedisStore, AnUnreachableServerIsUnavailableAndLaterTheSameBatchIsStored) {
  redis_server server({}, true);
  const auto store = redis_store(server.path(), {.patience = 500ms});
  ASSERT_EQ(put(*store, timer("a", 1)), durable::errc{});
  server.pause();
  EXPECT_EQ(put(*store, timer("b", 2)), durable::errc::unavailable);
  server.go_on();
  server.kill();
  EXPECT_EQ(put(*store, timer("b", 2)), durable::errc::unavailable);
  server.start();
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (put(*store, timer("b", 2)) != durable::errc{} && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  const auto all = test::list_all(*store, {.shard = 0});
  EXPECT_EQ(all.size(), 2u);
}

TEST_F(DurableRedisStore, ANodeThatReadsManyShardsMakesOneCall) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 16});
  std::vector<durable::take_request> wanted;
  for (durable::shard_id shard = 0; shard != 16; ++shard) wanted.push_back({shard, 1h});
  std::vector<durable::take_result> terms(wanted.size());
  ASSERT_EQ(store->take("n", wanted, terms), durable::errc{});
  std::vector<durable::read_request> reads;
  for (const durable::take_request& one : wanted)
    reads.push_back({{one.shard, terms[one.shard].fence}, durable::stored_time(1s), 9, 1h});
  reads.front().term.fence = 1;  // which is over
  std::vector<durable::read_result> results(reads.size());
  server.ask("CONFIG RESETSTAT");
  ASSERT_EQ(store->read_on(reads, results), durable::errc{});
  EXPECT_NE(server.ask("INFO commandstats").find("cmdstat_evalsha:calls=1,"), std::string::npos);
  EXPECT_FALSE(results.front().stands);
  EXPECT_EQ(std::ranges::count(results, true, &durable::read_result::stands), 15);
}

}  // namespace
}  // namespace detent
