// SPDX-License-Identifier: MIT
// Tests that readings and ends cost what they are about: not what has ended and was not vacuumed yet, and not what is
// due at the same time.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include "../conformance.hpp"

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using detent::test::postgres_client;

constexpr int timers = 20'000;

struct index_use {
  long long scans, entries;
};

class PostgresIndexes : public testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_POSTGRES();
    server = &detent::test::shared_postgres();
    database = server->make_database();
    its = postgres_store(server->url(database), {.shards = 1});
    server->ask("alter table detent.timers set (autovacuum_enabled = off)", database);
  }
  long long number(const std::string& column) const {
    return std::stoll(
        server->ask("select " + column + " from pg_stat_user_indexes where indexrelname = 'timers_due'", database));
  }
  // Reads until the server has counted what these readings did, which it does about once a second.
  index_use read_until_counted(asker on, const term_ref& term) const {
    const long long before = number("idx_scan");
    for (int i = 0; i < 1000 && number("idx_scan") == before; ++i) {
      EXPECT_TRUE(on.read(term, at(timers)).due.empty());
      std::this_thread::sleep_for(milliseconds(20));
    }
    return {number("idx_scan"), number("idx_tup_read")};
  }

  detent::test::postgres_server* server = nullptr;
  std::string database;
  std::shared_ptr<store> its;
};

TEST_F(PostgresIndexes, AreNotReadAgainWhereTheirTimersHaveEnded) {
  asker on{*its};
  const term_ref term{0, on.take(0).fence};
  std::vector<change> puts, ends;
  for (int i = 0; i < timers; ++i) {
    const record one = timer(stored_key("k" + std::to_string(i)), static_cast<std::uint64_t>(i + 1), at(i));
    puts.push_back(put_request{one});
    ends.push_back(end_of(term, one));
  }
  for (int i = 0; i < 500; ++i)
    puts.push_back(put_request{
        timer(stored_key("far" + std::to_string(i)), timers + 1u + static_cast<unsigned>(i), at(2 * timers + i))});
  on.apply(puts);
  EXPECT_EQ(on.read(term, at(timers), timers).due.size(), static_cast<std::size_t>(timers));
  on.apply(ends);
  server->ask("analyze detent.timers", database);
  postgres_client user(server->url(database));
  user.ask(
      "begin; select detent.schedule_at('bill', now() + interval '1 hour')");  // the readings look for what it puts
  const index_use before = read_until_counted(on, term), after = read_until_counted(on, term);
  ASSERT_GT(after.scans, before.scans);
  EXPECT_LT((after.entries - before.entries) / (after.scans - before.scans), 100) << "of a reading";
}

TEST_F(PostgresIndexes, AreNotReadThroughAnInstantForEachOfItsTimers) {
  constexpr int together = 2'000;
  asker on{*its};
  const term_ref term{0, on.take(0).fence};
  std::vector<change> far, puts, ends;
  for (int i = 0; i < timers; ++i)  // by which the planner knows the table: all due times differ
    far.push_back(put_request{
        timer(stored_key("far" + std::to_string(i)), static_cast<std::uint64_t>(i + 1), at(timers + 1 + i))});
  on.apply(far);
  server->ask("analyze detent.timers", database);
  for (int i = 0; i < together; ++i) {
    const record one = timer(stored_key("k" + std::to_string(i)), static_cast<std::uint64_t>(timers + i + 1), at(0));
    puts.push_back(put_request{one});
    ends.push_back(end_of(term, one));
  }
  on.apply(puts);
  EXPECT_EQ(on.read(term, at(timers), together).due.size(), static_cast<std::size_t>(together));
  const index_use before = read_until_counted(on, term);
  for (const change_status status : on.apply(ends)) EXPECT_EQ(status, change_status::ended);
  const index_use after = read_until_counted(on, term);
  EXPECT_LT(after.entries - before.entries, 10 * together);
}

}  // namespace
}  // namespace durable_test
