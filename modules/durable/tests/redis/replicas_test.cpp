// SPDX-License-Identifier: MIT
// Tests the promises of the store on Redis about the data that replicas have.
#include "free_ports.hpp"
#include "redis_server.hpp"
#include "store_calls.hpp"

#include <detent/durable_redis.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
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
  const durable::term_ref term = test::take(*alone);
  const durable::end_request kill{term, "a", 1, its.due, durable::end_kind::kill};
  ASSERT_EQ(apply(*alone, kill).status, durable::change_status::ended);
  const durable::put_request again{timer("a", 2), durable::put_mode::revive};
  const auto store = redis_store(server.path(), {.patience = 500ms, .replicas = 1});
  EXPECT_EQ(apply(*store, again).code, durable::errc::unavailable);
  EXPECT_EQ(apply(*alone, again).status, durable::change_status::stored);
}

TEST_F(DurableRedisReplicas, WhatWasCarriedOutIsNotCarriedOutAgainForAReplicaThatWasLate) {
  const redis_server server;
  const auto store = redis_store(server.path(), {.shards = 1, .patience = 500ms, .replicas = 1});
  ASSERT_EQ(put(*store, timer("a", 1)), durable::errc::unavailable);
  const auto other = redis_store(server.path());
  const durable::cancel_request erase{0, "a", 1};  // as if it had run
  ASSERT_EQ(apply(*other, erase).status, durable::change_status::cancelled);
  EXPECT_EQ(put(*store, timer("a", 1)), durable::errc::unavailable);
  const auto all = test::list_all(*other, {.shard = 0});
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
  const auto all = test::list_all(*redis_store(both.replica.path()), {.shard = 0});
  EXPECT_EQ(all.size(), 2u);
}

std::vector<std::uint64_t> ids_in(const std::string& address) {
  std::vector<std::uint64_t> ids;
  for (const durable::listed_record& one : test::list_all(*redis_store(address), {.shard = 0}))
    ids.push_back(one.what.id);
  return ids;
}

TEST_F(DurableRedisReplicas, APutThatIsSentAgainToAPromotedReplicaComesBeforeThePutsAfterIt) {
  master_and_replica both;
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("before", 1)) == durable::errc{}; }));
  both.part();
  std::vector<durable::change> batch = {durable::put_request{timer("a", 2), durable::put_mode::fail}};
  std::vector<durable::change_status> statuses(2);
  ASSERT_EQ(both.store->apply(batch, std::span(statuses).first(1)), durable::errc::unavailable);
  both.promote();
  batch.emplace_back(durable::put_request{timer("a", 3), durable::put_mode::fail});
  for (int i = 0; i != 3; ++i) EXPECT_EQ(both.store->apply(batch, statuses), durable::errc::unavailable);
  EXPECT_EQ(ids_in(both.replica.path()), (std::vector<std::uint64_t>{2, 1}));
}

// Two replicas are wanted, and the one that is there hears all.
TEST_F(DurableRedisReplicas, ACancelThatAPromotedReplicaHasHeardDoesNotTakeWhatWasPutAfterIt) {
  master_and_replica both;
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("before", 1)) == durable::errc{}; }));
  const auto store =
      redis_store(both.master.path() + "," + both.replica.path(), {.shards = 1, .patience = 500ms, .replicas = 2});
  const std::vector<durable::change> batch = {durable::put_request{timer("a", 2)}, durable::cancel_request{0, "a", 7},
                                              durable::put_request{timer("a", 3)}};
  std::vector<durable::change_status> statuses(batch.size());
  ASSERT_EQ(store->apply(batch, statuses), durable::errc::unavailable);
  ASSERT_TRUE(both.until([&] { return both.replica.ask("HLEN detent:{00}:body") == "2"; }));
  both.promote();
  durable::take_result term;
  ASSERT_TRUE(both.until([&] { return both.take(term); }));
  const durable::read_request wanted{{0, term.fence}, timer("a", 3).due, 9, 5s};
  durable::read_result read;
  ASSERT_EQ(both.store->read_on({&wanted, 1}, {&read, 1}), durable::errc{});
  ASSERT_EQ(read.due.size(), 2u);
  for (int i = 0; i != 3; ++i) EXPECT_EQ(store->apply(batch, statuses), durable::errc::unavailable);
  ASSERT_EQ(both.store->read_on({&wanted, 1}, {&read, 1}), durable::errc{});
  EXPECT_TRUE(read.announced_keys.empty()) << "the owner would cancel it";
}

TEST_F(DurableRedisReplicas, ASuccessorIsWithThePromotedReplicaAndTakesItsPlaceThere) {
  master_and_replica both;
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("a", 1)) == durable::errc{}; }));
  durable::take_result term;
  ASSERT_TRUE(both.take(term));
  const auto read = [&] {
    const durable::read_request wanted{{0, term.fence}, timer("a", 1).due, 9, 5s};
    durable::read_result out;
    EXPECT_EQ(both.store->read_on({&wanted, 1}, {&out, 1}), durable::errc{});
    return out;
  };
  ASSERT_EQ(read().due.size(), 1u);
  const durable::put_request successor{timer("a", 2)};
  durable::change_status kept{};
  ASSERT_TRUE(both.until([&] {
    const auto done = apply(*both.store, successor);
    kept = done.status;
    return done.code == durable::errc{};
  }));
  EXPECT_EQ(kept, durable::change_status::kept);
  both.promote();
  ASSERT_TRUE(both.until([&] { return both.take(term); }));
  EXPECT_EQ(read().due.size(), 1u);
  const durable::end_request end{{0, term.fence}, "a", 1, timer("a", 1).due};
  ASSERT_EQ(apply(*both.store, end).status, durable::change_status::ended);
  const durable::read_result after = read();
  ASSERT_EQ(after.announced_now.size(), 1u);
  EXPECT_EQ(after.announced_now.front().id, 2u);
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
  ASSERT_EQ(apply(*both.store, end).code, durable::errc{});
  const durable::question_ref question{0, 7};
  durable::answer reply{};
  const auto read = [&] { return both.store->read_answers({&question, 1}, {&reply, 1}) == durable::errc{}; };
  ASSERT_TRUE(read());
  EXPECT_EQ(reply, durable::answer::none) << "a promoted replica would run it";
  both.replica.ask("REPLICAOF 127.0.0.1 " + std::to_string(both.ports[0]));
  EXPECT_TRUE(both.until([&] { return read() && reply == durable::answer::cancelled; }));
}

// A timer is put and cancelled, and its owner takes it away and says so, and the replica hears of none of it.
struct cancelled_unheard : master_and_replica {
  std::shared_ptr<durable::store> owner =
      redis_store(master.path() + "," + replica.path(), {.patience = 500ms, .replicas = 1});
  const std::vector<durable::change> batch = {durable::put_request{timer("a", 2)}, durable::cancel_request{0, "a", 7}};
  std::vector<durable::change_status> statuses{2};
  durable::end_request end{
      .key = "a", .id = 2, .ran = timer("a", 2).due, .question = 7, .reply = durable::answer::cancelled};

  void carry_out() {
    ASSERT_TRUE(take_by_owner());
    const durable::read_request wanted{end.term, end.ran, 9, 1h};
    durable::read_result read;
    ASSERT_EQ(owner->read_on({&wanted, 1}, {&read, 1}), durable::errc{});
    ASSERT_TRUE(until([&] { return put(*store, timer("heard", 1)) == durable::errc{}; }));
    part();
    ASSERT_EQ(store->apply(batch, statuses), durable::errc::unavailable) << "no replica has it";
    ASSERT_EQ(master.ask("HLEN detent:{00}:body"), "2");
    ASSERT_EQ(apply(*owner, end).status, durable::change_status::ended);
    ASSERT_EQ(master.ask("EXISTS detent:{00}:answer:7"), "1");
    promote();
  }
  bool take_by_owner() {
    const durable::take_request wanted{0, 1h};
    durable::take_result term;
    const bool took = until([&] {
      return owner->take("n", {&wanted, 1}, {&term, 1}) == durable::errc{} &&
             term.status == durable::take_status::taken;
    });
    end.term = {0, term.fence};
    return took;
  }
};

TEST_F(DurableRedisReplicas, AnEndThatIsSentAgainAnswersNoQuestionAboutWhatThePromotedReplicaHasNotHeardOf) {
  cancelled_unheard both;
  both.carry_out();
  ASSERT_TRUE(both.until([&] { return both.owner->give_back({&both.end.term, 1}) == durable::errc{}; }));
  ASSERT_TRUE(both.take_by_owner());
  EXPECT_EQ(both.replica.ask("EXISTS detent:{00}:answer:7"), "0") << "the timer and its cancel come again";
}

TEST_F(DurableRedisReplicas, ACancelThatIsSentAgainForgetsTheAnswerThatCameBeforeIt) {
  cancelled_unheard both;
  both.carry_out();
  ASSERT_EQ(apply(*both.owner, both.end).status, durable::change_status::gone);
  for (int i = 0; i != 3; ++i) EXPECT_EQ(both.store->apply(both.batch, both.statuses), durable::errc::unavailable);
  ASSERT_EQ(both.replica.ask("HLEN detent:{00}:body"), "2");
  EXPECT_EQ(both.replica.ask("EXISTS detent:{00}:answer:7"), "0") << "it was about the timer before";
}

// Puts two timers and ends "a". The replica has heard of both timers and of the term, but not of the end.
void end_what_the_replica_does_not_hear_of(master_and_replica& both, durable::take_result& term) {
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("a", 1)) == durable::errc{}; }));
  ASSERT_TRUE(both.take(term));
  ASSERT_TRUE(both.until([&] { return put(*both.store, timer("heard", 2)) == durable::errc{}; }));
  both.part();
  const durable::end_request end{{0, term.fence}, "a", 1, timer("a", 1).due};
  ASSERT_EQ(apply(*both.store, end).status, durable::change_status::ended);
}

TEST_F(DurableRedisReplicas, ATermOfAMasterThatHadNotHeardTheLastEndsBeginsWithThem) {
  master_and_replica both;
  durable::take_result term;
  end_what_the_replica_does_not_hear_of(both, term);
  both.promote();
  ASSERT_TRUE(both.until([&] { return both.take(term); }));
  const auto all = test::list_all(*both.store, {.shard = 0});
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
  const auto all = test::list_all(*both.store, {.shard = 0});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().what.key, "heard");
}

}  // namespace
}  // namespace detent
