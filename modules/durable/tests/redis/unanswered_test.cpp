// SPDX-License-Identifier: MIT
// A batch of which the store on Redis carries out only a part, because a server is full, or one of a cluster does not
// answer.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace detent {
namespace {

using namespace std::chrono_literals;
using durable::redis_store;
using test::apply;
using test::put;
using test::redis_server;
using test::timer;

class DurableRedisUnanswered : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_F(DurableRedisUnanswered, AFullServerWritesEndsAndCarriesOutNothingTwice) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 2});
  ASSERT_EQ(put(*store, timer("old", 1)), durable::errc{});
  ASSERT_EQ(put(*store, timer("older", 2)), durable::errc{});
  const durable::term_ref term = test::take(*store);
  server.ask("CONFIG SET maxmemory 1");
  std::vector<durable::change> batch;
  for (std::uint64_t i = 0; i != 1500; ++i)  // more than go into a call
    batch.emplace_back(durable::put_request{timer("k" + std::to_string(i), i + 10)});
  batch.emplace_back(durable::end_request{term, "old", 1, timer("old", 1).due});
  batch.emplace_back(durable::cancel_request{0, "k0", 4});
  batch.insert(batch.begin(), durable::cancel_request{0, "older", 3});
  std::vector<durable::change_status> statuses(batch.size());
  EXPECT_EQ(store->apply(batch, statuses), durable::errc::unavailable);
  EXPECT_EQ(server.ask("EXISTS detent:{00}:due"), "0") << "ends make room";
  server.ask("CONFIG SET maxmemory 0");
  ASSERT_EQ(store->apply(batch, statuses), durable::errc{});
  EXPECT_EQ(std::ranges::count(statuses, durable::change_status::stored), 1500);
  EXPECT_EQ(statuses.front(), durable::change_status::cancelled) << "by the first call";
  EXPECT_EQ(statuses.back(), durable::change_status::cancelled) << "and not before its put";
}

TEST_F(DurableRedisUnanswered, WhatWasCarriedOutWithoutAnAnswerIsNotCarriedOutAgain) {
  redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1, .patience = 100ms}), owner = redis_store(server.path());
  std::vector<durable::change> batch = {durable::put_request{timer("a", 1)}, durable::cancel_request{0, "a", 7},
                                        durable::put_request{timer("a", 2)}};
  std::vector<durable::change_status> statuses(batch.size());
  server.pause();
  ASSERT_EQ(store->apply(batch, statuses), durable::errc::unavailable);
  server.go_on();
  while (server.ask("HLEN detent:{00}:body") != "1") std::this_thread::sleep_for(1ms);
  const durable::term_ref term = test::take(*owner);
  ASSERT_EQ(test::read(*owner, term).due.size(), 1u);
  batch.emplace_back(durable::put_request{timer("b", 3)});  // it goes with them now
  statuses.resize(batch.size());
  while (store->apply(batch, statuses) != durable::errc{}) std::this_thread::sleep_for(1ms);
  using enum durable::change_status;
  EXPECT_EQ(statuses, (std::vector{stored, cancelled, stored, stored}));
  const durable::read_result read = test::read(*owner, term);
  ASSERT_EQ(read.announced_keys.size(), 1u) << "the owner would cancel what was put after the cancel";
  EXPECT_EQ(read.announced_keys.front().key, "b");
}

// A cluster of three masters without replicas.
struct three_masters {
  static constexpr durable::shard_id shards = 12;
  std::vector<int> ports = test::free_ports(3);
  std::vector<std::unique_ptr<redis_server>> nodes;
  std::string address = "127.0.0.1:" + std::to_string(ports.front());
  std::shared_ptr<durable::store> store, other;

  three_masters() {
    for (const int port : ports)
      nodes.push_back(std::make_unique<redis_server>(std::vector<std::string>{
          "--port", std::to_string(port), "--cluster-enabled", "yes", "--cluster-port",
          std::to_string(test::free_ports(1).front()), "--cluster-require-full-coverage", "no"}));
    test::make_cluster(nodes, ports);
    store = redis_store(address, {.shards = shards, .patience = 500ms});
    other = redis_store(address, {.patience = 500ms});
  }
  // The first shard of which a server is there, or is not.
  durable::shard_id one_that(bool lives) const {
    std::vector<durable::shard_state> states(shards);
    EXPECT_EQ(store->look(states), durable::errc{});
    return std::ranges::find_if(states, [&](const auto& its) { return (its.node != "?") == lives; })->shard;
  }
};

TEST_F(DurableRedisUnanswered, AClusterWithADeadNodeServesTheOtherShardsAndStoresNothingTwice) {
  three_masters cluster;
  cluster.nodes.back()->kill();
  std::vector<durable::change> puts;
  for (durable::shard_id shard = 0; shard != three_masters::shards; ++shard) {
    durable::put_request one{timer("k", shard + 1u)};
    one.what.shard = shard;
    puts.emplace_back(one);
  }
  std::vector<durable::change_status> statuses(puts.size());
  ASSERT_EQ(cluster.store->apply(puts, statuses), durable::errc{});
  const durable::shard_id lives = cluster.one_that(true), rests = cluster.one_that(false);
  EXPECT_EQ(statuses[lives], durable::change_status::stored);
  EXPECT_EQ(statuses[rests], durable::change_status::unanswered);
  EXPECT_EQ(apply(*cluster.other, durable::cancel_request{lives, "k", 1}).status, durable::change_status::cancelled);
  const std::vector<durable::change> again = {puts[rests]};
  EXPECT_EQ(cluster.store->apply(again, std::span(statuses).first(1)), durable::errc::unavailable)
      << "none was reached";
  const auto left = test::list_all(*cluster.other, {.shard = lives});
  EXPECT_TRUE(left.empty());
}

TEST_F(DurableRedisUnanswered, NoLaterChangeOfAShardIsCarriedOutBeforeOneThatWasNotAnswered) {
  three_masters cluster;
  cluster.nodes.back()->pause();
  const durable::shard_id lives = cluster.one_that(true), rests = cluster.one_that(false);
  std::vector<durable::change> batch;
  for (const durable::shard_id shard : {rests, lives}) {
    for (std::uint64_t i = 0; i != 1500; ++i) {  // more than go into a call
      durable::put_request one{timer("k" + std::to_string(i), i + 1 + 2000u * shard)};
      one.what.shard = shard;
      batch.emplace_back(one);
    }
    batch.emplace_back(durable::cancel_request{shard, "k0", 1u + shard});
  }
  std::vector<durable::change_status> statuses(batch.size());
  ASSERT_EQ(cluster.store->apply(batch, statuses), durable::errc{});
  EXPECT_EQ(std::ranges::count(std::span(statuses).first(1501), durable::change_status::unanswered), 1501);
  EXPECT_EQ(statuses.back(), durable::change_status::cancelled);
  cluster.nodes.back()->go_on();
  batch.resize(1501);
  statuses.resize(1501);
  const auto end = std::chrono::steady_clock::now() + 60s;
  const auto send = [&] { return cluster.store->apply(batch, statuses) == durable::errc{}; };
  while (!send() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(std::ranges::count(std::span(statuses).first(1500), durable::change_status::stored), 1500);
  EXPECT_EQ(statuses.back(), durable::change_status::cancelled);
}

}  // namespace
}  // namespace detent
