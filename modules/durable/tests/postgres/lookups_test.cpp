// SPDX-License-Identifier: MIT
// Tests what only look-ups in PostgreSQL have.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include "../conformance.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using detent::test::postgres_client;

class DurablePostgresLookUps : public testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_POSTGRES();
    database = detent::test::shared_postgres().make_database();
    url = detent::test::shared_postgres().url(database);
  }
  void ask(const std::string& sql) const { detent::test::shared_postgres().ask(sql, database); }

  std::string database, url;
};

TEST_F(DurablePostgresLookUps, ANodeEstimatesManyTimersAndAReaderCountsThem) {
  const auto timers = postgres_store(url, {.shards = 1024});
  ask("insert into detent.timers (shard, partition, key, id, due, handler)"
      " select 3, '', 'k' || i, i, now(), 'h' from generate_series(1, 300) i");
  const auto timers_of = [](store_view& in) {
    std::vector<shard_state> states(1024);
    EXPECT_EQ(in.look(states), errc{});
    return std::pair(states[3].timers, states[4].timers);
  };
  const std::pair exact(std::uint64_t{300}, std::uint64_t{0});
  EXPECT_EQ(timers_of(*timers), std::pair(std::uint64_t{64}, std::uint64_t{0})) << "as many as it counts";
  EXPECT_EQ(timers_of(*timers->view_apart()), exact);
  EXPECT_EQ(timers_of(*postgres_store(url, {.read_only = true})), exact);
}

TEST_F(DurablePostgresLookUps, APurgeLeavesADeadTimerThatATransactionHas) {
  const auto timers = postgres_store(url, {.shards = 1});
  ask("insert into detent.dead (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, why)"
      " select 0, '', k, 1, now(), 1, false, 'h', '', '', '' from unnest(array['a', 'b', 'c']) k");
  postgres_client user(url);
  user.ask("begin");
  EXPECT_EQ(user.ask("select detent.cancel('b')"), "t");
  purge_page page;
  EXPECT_EQ(timers->purge({.shard = 0}, page), errc{});
  EXPECT_EQ(page.erased, 2u);
  user.ask("rollback");
  EXPECT_EQ(keys_of(asker{*timers}.list({.shard = 0, .dead = true})), std::vector{stored_key("b")});
}

TEST_F(DurablePostgresLookUps, TheRollIsReadWithoutAnEntryInIt) {
  const auto timers = postgres_store(url, {.shards = 1});
  roll_call call;
  EXPECT_EQ(timers->call_roll("node", milliseconds(60'000), call), errc{});
  EXPECT_EQ(timers->call_roll("gone", milliseconds(1), call), errc{});
  std::this_thread::sleep_for(milliseconds(5));
  roll_state roll;
  EXPECT_EQ(postgres_store(url, {.read_only = true})->look_at_roll(roll), errc{});
  ASSERT_EQ(roll.entries.size(), 1u);
  EXPECT_EQ(roll.entries[0].what, "node");
  EXPECT_GT(roll.entries[0].until, roll.now);
}

}  // namespace
}  // namespace durable_test
