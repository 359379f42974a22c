// SPDX-License-Identifier: MIT
// Transactions of users that stay open over readings: each timer that is committed is read exactly once, and none else.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include "../conformance.hpp"
#include "../seed.hpp"

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using detent::test::postgres_client;

// One user, who begins a transaction, puts, and ends it, a step at a time.
class late_user {
 public:
  late_user(const std::string& url, int number) : to_(url), name_("u" + std::to_string(number)) {}

  // The keys that it has committed go to `committed`.
  void step(std::mt19937_64& random, std::int64_t level, std::set<std::string>& committed) {
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    if (!prepared_.empty()) {
      if (below(3) != 0) return;
      const bool stays = below(4) != 0;
      to_.ask((stays ? "commit prepared '" : "rollback prepared '") + std::exchange(prepared_, "") + "'");
      end(stays, committed);
    } else if (!open_) {
      const char* const levels[] = {"read committed", "read committed", "repeatable read", "serializable"};
      to_.ask(std::string("begin isolation level ") + levels[below(4)]);
      open_ = true;
    } else if (below(4) != 0) {
      put(below(100), level, below(5));
    } else if (below(6) == 0) {
      const std::string name = name_ + "_" + std::to_string(++count_);
      const bool ok = try_to("prepare transaction '" + name + "'");
      if (ok)
        prepared_ = name;
      else
        end(false, committed);
    } else {
      const bool stays = below(4) != 0;
      const bool ok = try_to(stays ? "commit" : "rollback");
      end(stays && ok, committed);
    }
  }
  // It ends what it has begun.
  void finish(std::set<std::string>& committed) {
    if (!prepared_.empty())
      to_.ask("commit prepared '" + std::exchange(prepared_, "") + "'");
    else if (open_ && !try_to("commit"))
      mine_.clear();
    end(true, committed);
  }

 private:
  void put(std::uint64_t distance, std::int64_t level, std::uint64_t how) {
    const std::string key = name_ + ":" + std::to_string(++count_);
    const auto due = at(level + static_cast<std::int64_t>(distance) - 60).time_since_epoch().count();
    if (how < 2) to_.ask("savepoint s");
    const bool ok = try_to("select detent.schedule_at('bill', timestamptz 'epoch' + " + std::to_string(due) +
                           " * interval '1 microsecond', key => '" + key + "')");
    if (!ok) {  // a serialization failure: the rest of the transaction fails as well
      mine_.clear();
      return;
    }
    if (how == 0) {
      to_.ask("rollback to savepoint s");
      return;
    }
    if (how == 1) to_.ask("release savepoint s");
    mine_.insert(key);
  }
  bool try_to(const std::string& sql) {
    try {
      to_.ask(sql);
      return PQtransactionStatus(to_.get()) != PQTRANS_INERROR;
    } catch (const std::runtime_error&) {
      if (PQtransactionStatus(to_.get()) == PQTRANS_INERROR) to_.ask("rollback");
      failed_ = true;
      return false;
    }
  }
  void end(bool stays, std::set<std::string>& committed) {
    if (stays && !failed_) committed.insert(mine_.begin(), mine_.end());
    mine_.clear();
    open_ = failed_ = false;
  }

  postgres_client to_;
  const std::string name_;
  std::string prepared_;
  bool open_ = false, failed_ = false;
  int count_ = 0;
  std::set<std::string> mine_;
};

TEST(PostgresLateCommits, EachCommittedTimerIsReadOnce) {
  DETENT_NEED_POSTGRES();
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto& server = detent::test::shared_postgres();
  const std::string database = server.make_database();
  const auto timers = postgres_store(server.url(database), {.shards = 1});
  asker on{*timers};
  const term_ref term{0, on.take(0).fence};
  std::vector<std::unique_ptr<late_user>> users;
  for (int i = 0; i < 8; ++i) users.push_back(std::make_unique<late_user>(server.url(database), i));

  std::int64_t level = 0;
  std::set<std::string> committed;
  std::map<std::string, int> read;
  const auto read_some = [&](stored_time upto) {
    const read_result its = on.read(term, upto, 5);
    EXPECT_TRUE(its.stands);
    for (const auto* records : {&its.due, &its.announced_now})
      for (const record& each : *records) ++read[std::string(parts_of(each.key).key)];
    return !its.due.empty() || !its.announced_keys.empty();
  };
  for (int step = 0; step < 2000; ++step) {
    if (random() % 8 == 0)
      read_some(at(level += static_cast<std::int64_t>(random() % 8)));
    else
      users[random() % users.size()]->step(random, level, committed);
  }
  for (const auto& its : users) its->finish(committed);
  while (read_some(at(level + 1000))) {
  }
  EXPECT_GT(committed.size(), 150u);
  for (const std::string& key : committed) EXPECT_EQ(read[key], 1) << key;
  for (const auto& [key, times] : read) EXPECT_TRUE(committed.contains(key) || times == 0) << key << " is not there";
}

}  // namespace
}  // namespace durable_test
