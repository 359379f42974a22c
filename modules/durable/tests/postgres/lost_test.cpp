// SPDX-License-Identifier: MIT
// Connections that are cut and servers that are killed amid changes: each is carried out once, and its answer is exact.
#include "client.hpp"
#include "deaf_link.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include "../conformance.hpp"
#include "../seed.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using detent::test::postgres_server;

// Sends the batch until it has an answer. Returns false if it had none at first.
bool send(store& to, const std::vector<change>& batch, std::vector<change_status>& results) {
  results.assign(batch.size(), change_status::unanswered);
  bool at_once = true;
  while (to.apply(batch, results) != errc{}) {
    at_once = false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return at_once;
}

// Puts and cancels keys of its own, and foretells each answer.
class exact_user {
 public:
  explicit exact_user(std::uint64_t seed) : random_(seed) {}

  // A batch, sent until it is answered.
  void step(store& to) {
    std::vector<change> batch;
    std::vector<change_status> expected, results;
    for (std::size_t i = 0, size = 1 + random_() % 5; i != size; ++i) {
      const std::size_t which = random_() % lives_.size();
      const std::string key = stored_key("k" + std::to_string(which));
      if (random_() % 2 != 0) {
        batch.push_back(put_request{timer(key, ++id_, at(static_cast<std::int64_t>(random_() % 9))), put_mode::fail});
        expected.push_back(std::exchange(lives_[which], true) ? change_status::exists : change_status::stored);
      } else {
        batch.push_back(cancel_request{0, key, ++id_});
        expected.push_back(std::exchange(lives_[which], false) ? change_status::cancelled : change_status::gone);
      }
    }
    if (!send(to, batch, results)) ++lost;
    EXPECT_EQ(results, expected);
  }
  std::size_t living() const { return static_cast<std::size_t>(std::ranges::count(lives_, true)); }

  std::atomic<int> lost{0};

 private:
  std::mt19937_64 random_;
  std::array<bool, 12> lives_{};
  std::uint64_t id_ = 0;
};

// Runs `cut` over and over beside the user, until it has lost `losses` answers. A server ends with the thread that has
// started it, so the user has a thread of its own.
void walk_beside(store& to, int losses, const std::function<void(std::mt19937_64&)>& cut) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  exact_user user(seed);
  std::atomic<bool> stop{false};
  std::thread walk([&] {
    while (!stop) user.step(to);
    for (int i = 0; i < 20; ++i) user.step(to);
  });
  for (std::mt19937_64 random(seed + 1); user.lost < losses && !testing::Test::HasFailure();) cut(random);
  stop = true;
  walk.join();
  EXPECT_EQ(asker{to}.list({.shard = 0}).size(), user.living());
}

TEST(PostgresLostAnswers, AnswersOfBatchesThatWereCarriedOut) {
  DETENT_NEED_POSTGRES();
  postgres_server& server = detent::test::shared_postgres();
  detent::test::deaf_link link(server.directory());
  const auto timers =
      postgres_store("postgresql://postgres@/" + server.make_database() + "?host=" + link.directory(), {.shards = 1});
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  exact_user user(seed);
  for (int i = 0; i < 100; ++i) {
    if (random() % 4 == 0) link.lose_next_answer();
    user.step(*timers);
  }
  EXPECT_GT(user.lost, 10);
}

// Due timers and announcements that a lost answer brought are brought again.
TEST(PostgresLostAnswers, AnswersOfReadings) {
  DETENT_NEED_POSTGRES();
  postgres_server& server = detent::test::shared_postgres();
  detent::test::deaf_link link(server.directory());
  const std::string database = server.make_database();
  const auto timers = postgres_store("postgresql://postgres@/" + database + "?host=" + link.directory(), {.shards = 1});
  const auto beside = postgres_store(server.url(database));
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const term_ref term{0, asker{*timers}.take(0).fence};
  std::set<std::uint64_t> put, read;
  int lost = 0;
  const auto read_some = [&](stored_time upto) {
    const read_request what{term, upto, 3, long_lease};
    read_result its;
    for (; timers->read_on({&what, 1}, {&its, 1}) != errc{}; ++lost) std::this_thread::sleep_for(milliseconds(2));
    for (const auto* records : {&its.due, &its.announced_now})
      for (const record& each : *records) read.insert(each.id);
    return !its.due.empty() || !its.announced_keys.empty();
  };
  for (std::int64_t level = 0; level != 60; ++level) {
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t id = put.size() + 1;
      put.insert(id);
      const stored_time due = at(level - 5 + static_cast<std::int64_t>(random() % 12));
      EXPECT_EQ(asker{*beside}.put(timer(stored_key("k" + std::to_string(id)), id, due)), change_status::stored);
    }
    if (random() % 3 == 0) link.lose_next_answer();
    read_some(at(level));
  }
  while (read_some(at(100))) {
  }
  EXPECT_GT(lost, 5);
  EXPECT_EQ(read, put);
}

TEST(PostgresLostAnswers, ConnectionsThatAreCut) {
  DETENT_NEED_POSTGRES();
  postgres_server& server = detent::test::shared_postgres();
  const std::string database = server.make_database();
  const auto timers = postgres_store(server.url(database), {.shards = 1});
  detent::test::postgres_client operator_(server.url(database));
  walk_beside(*timers, 5, [&](std::mt19937_64& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(10'000 + random() % 60'000));
    operator_.ask("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database +
                  "' and pid <> pg_backend_pid() and application_name = 'detent'");
  });
}

TEST(PostgresLostAnswers, AServerThatIsKilled) {
  DETENT_NEED_POSTGRES();
  postgres_server server(true);
  const auto timers = postgres_store(server.url(), {.shards = 1});
  walk_beside(*timers, 2, [&](std::mt19937_64& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(100'000 + random() % 100'000));
    server.kill();
    server.start();
  });
}

// A statement that its node has given up must not be carried out after what the node does next.
TEST(PostgresLostAnswers, WhatWasGivenUpComesNotLater) {
  DETENT_NEED_POSTGRES();
  postgres_server& server = detent::test::shared_postgres();
  const std::string database = server.make_database();
  postgres_store(server.url(database), {.shards = 1});  // makes the tables, which takes long on a slow machine
  // Less than the 200 ms after which the session itself gives up a lock.
  const auto timers = postgres_store(server.url(database), {.shards = 1, .patience = milliseconds(150)});
  asker on{*timers};
  ASSERT_EQ(on.put(timer(stored_key("k"), 1, at(1))), change_status::stored);
  detent::test::postgres_client user(server.url(database));
  user.ask("begin; select detent.restart_at('k', timestamptz '2001-09-09 02:00:00+00')");
  const std::vector<change> first = {put_request{timer(stored_key("k"), 2, at(2)), put_mode::replace}};
  std::vector<change_status> results(1);
  EXPECT_EQ(timers->apply(first, results), errc::unavailable) << "it waits for the user longer than the node does";
  // The next session ends the one before, which waits for the user's lock.
  while (timers->apply(std::vector<change>{put_request{timer(stored_key("l"), 3, at(3))}}, results) != errc{})
    std::this_thread::sleep_for(milliseconds(2));
  user.ask("commit");
  EXPECT_EQ(user.ask("select count(*) from pg_stat_activity where application_name = 'detent' and datname = '" +
                     database + "'"),
            "1");
  EXPECT_EQ(user.ask("select due = timestamptz '2001-09-09 02:00:00+00' from detent.timers where key = 'k'"), "t");
}

}  // namespace
}  // namespace durable_test
