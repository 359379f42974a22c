// SPDX-License-Identifier: MIT
// Tests the promises of the store on Redis about the data that replicas have.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
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

class DurableRedisReplicas : public ::testing::Test {
 protected:
  void SetUp() override { DETENT_NEED_REDIS(); }
};

TEST_F(DurableRedisReplicas, WhatNoReplicaHasIsNotStored) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.patience = 500ms, .replicas = 1});
  EXPECT_EQ(put(*store, timer("a", 1)), durable::errc::unavailable);
}

TEST_F(DurableRedisReplicas, WhatNoReplicaHasDoesNotLiveAgain) {
  const redis_server server;
  const auto alone = redis_store(server.path(), {.shards = 1});
  const durable::record its = timer("a", 1);
  ASSERT_EQ(put(*alone, its), durable::errc{});
  const durable::take_request take{0, 1h};
  durable::take_result taken;
  ASSERT_EQ(alone->take("n", {&take, 1}, {&taken, 1}), durable::errc{});
  const durable::end_request kill{{0, taken.fence}, "a", 1, its.due, durable::end_kind::kill};
  durable::end_status ended{};
  ASSERT_EQ(alone->end({&kill, 1}, {&ended, 1}), durable::errc{});
  const durable::put_request again{timer("a", 2)};
  durable::put_status status{};
  const auto store = redis_store(server.path(), {.patience = 500ms, .replicas = 1});
  EXPECT_EQ(store->revive({&again, 1}, {&status, 1}), durable::errc::unavailable);
  EXPECT_EQ(alone->revive({&again, 1}, {&status, 1}), durable::errc{});
  EXPECT_EQ(status, durable::put_status::stored);
}

TEST_F(DurableRedisReplicas, WhatWasCarriedOutIsNotCarriedOutAgainForAReplicaThatWasLate) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1, .patience = 500ms, .replicas = 1});
  ASSERT_EQ(put(*store, timer("a", 1)), durable::errc::unavailable);
  const auto other = redis_store(server.path());
  const durable::cancel_request erase{0, "a", 1};  // as if it had run
  durable::cancel_status status{};
  ASSERT_EQ(other->cancel({&erase, 1}, {&status, 1}), durable::errc{});
  ASSERT_EQ(status, durable::cancel_status::cancelled);
  EXPECT_EQ(put(*store, timer("a", 1)), durable::errc::unavailable);
  std::vector<durable::listed_record> all;
  ASSERT_EQ(other->list({.shard = 0}, all), durable::errc{});
  EXPECT_TRUE(all.empty());
}

// A master, and a replica that can be promoted.
struct master_and_replica {
  std::vector<int> ports = test::free_ports(2);
  redis_server master{{"--port", std::to_string(ports[0]), "--repl-diskless-sync-delay", "0"}};
  redis_server replica{{"--port", std::to_string(ports[1]), "--replicaof", "127.0.0.1", std::to_string(ports[0])}};
  std::shared_ptr<durable::store> store =
      redis_store(master.path() + "," + replica.path(), {.shards = 1, .patience = 500ms, .replicas = 1});

  static bool until(const std::function<bool()>& holds) {
    int left = 60'000;
    while (!holds() && --left != 0) std::this_thread::sleep_for(1ms);
    return left != 0;
  }
  bool take(durable::take_result& term) const {
    const durable::take_request wanted{0, 5s};
    return store->take("n", {&wanted, 1}, {&term, 1}) == durable::errc{} && term.status == durable::take_status::taken;
  }
  // From now on the replica hears nothing.
  void part() {
    replica.ask("REPLICAOF 127.0.0.1 1");
    ASSERT_TRUE(until([&] { return master.ask("INFO replication").find("connected_slaves:0") != std::string::npos; }));
  }
  void promote() {
    master.kill();
    ASSERT_EQ(replica.ask("REPLICAOF NO ONE"), "OK");
  }
};

TEST_F(DurableRedisReplicas, APutIsSentAgainToAMasterThatHadNotHeardOfIt) {
  master_and_replica both;
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("before", 1)) == durable::errc{}; }));
  both.part();
  ASSERT_EQ(put(*both.store, timer("a", 2)), durable::errc::unavailable) << "no replica has it";
  both.promote();
  EXPECT_EQ(put(*both.store, timer("a", 2)), durable::errc::unavailable);
  EXPECT_EQ(put(*both.store, timer("a", 2)), durable::errc::unavailable);
  std::vector<durable::listed_record> all;
  ASSERT_EQ(redis_store(both.replica.path())->list({.shard = 0}, all), durable::errc{});
  EXPECT_EQ(all.size(), 2u);
}

TEST_F(DurableRedisReplicas, AnAnswerCountsWhenAReplicaHasTheEndThatItIsAbout) {
  master_and_replica both;
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("a", 1)) == durable::errc{}; }));
  durable::take_result term;
  ASSERT_TRUE(both.take(term));
  both.part();
  durable::end_request end{{0, term.fence}, "a", 1, timer("a", 1).due};
  end.question = 7;
  end.reply = durable::answer::cancelled;
  durable::end_status ended{};
  ASSERT_EQ(both.store->end({&end, 1}, {&ended, 1}), durable::errc{});
  const durable::question_ref question{0, 7};
  durable::answer reply{};
  const auto read = [&] { return both.store->read_answers({&question, 1}, {&reply, 1}) == durable::errc{}; };
  ASSERT_TRUE(read());
  EXPECT_EQ(reply, durable::answer::none) << "a promoted replica would run it";
  both.replica.ask("REPLICAOF 127.0.0.1 " + std::to_string(both.ports[0]));
  EXPECT_TRUE(both.until([&] { return read() && reply == durable::answer::cancelled; }));
}

// Of two timers, "a"; the replica has heard of both and of the term.
void end_what_the_replica_does_not_hear_of(master_and_replica& both, durable::take_result& term) {
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("a", 1)) == durable::errc{}; }));
  ASSERT_TRUE(both.take(term));
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("heard", 2)) == durable::errc{}; }));
  both.part();
  const durable::end_request end{{0, term.fence}, "a", 1, timer("a", 1).due};
  durable::end_status ended{};
  ASSERT_EQ(both.store->end({&end, 1}, {&ended, 1}), durable::errc{});
  ASSERT_EQ(ended, durable::end_status::ended);
}

TEST_F(DurableRedisReplicas, ATermOfAMasterThatHadNotHeardTheLastEndsBeginsWithThem) {
  master_and_replica both;
  durable::take_result term;
  end_what_the_replica_does_not_hear_of(both, term);
  both.promote();
  ASSERT_TRUE(both.until([&] { return both.take(term); }));
  std::vector<durable::listed_record> all;
  ASSERT_EQ(both.store->list({.shard = 0}, all), durable::errc{});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().what.key, "heard");
}

TEST_F(DurableRedisReplicas, EndsThatTheNewMasterRefusesAreKeptForTheNextTerm) {
  master_and_replica both;
  durable::take_result term;
  end_what_the_replica_does_not_hear_of(both, term);
  both.promote();
  ASSERT_EQ(both.replica.ask("ACL SETUSER default -zrem"), "OK");
  const durable::take_request wanted{0, 100ms};
  ASSERT_TRUE(both.until([&] {
    return both.store->take("n", {&wanted, 1}, {&term, 1}) == durable::errc::not_permitted;
  }));
  ASSERT_EQ(both.replica.ask("ACL SETUSER default +@all"), "OK");
  ASSERT_TRUE(both.until([&] { return both.take(term); }));
  std::vector<durable::listed_record> all;
  ASSERT_EQ(both.store->list({.shard = 0}, all), durable::errc{});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().what.key, "heard");
}

}  // namespace
}  // namespace detent
