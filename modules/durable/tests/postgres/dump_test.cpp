// SPDX-License-Identifier: MIT
// Tests a store that pg_dump takes out of one server and psql brings into another one.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>
#include <detent/engine.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace detent {
namespace {

using namespace std::chrono_literals;
using durable::job;
using durable::outcome;
using test::postgres_client;
using test::postgres_server;

// The runs of all nodes, by key.
class runs {
 public:
  void add(const job& of) {
    const std::lock_guard locked(lock_);
    ++of_[std::string(of.key())];
  }
  std::map<std::string, int> all() const {
    const std::lock_guard locked(lock_);
    return of_;
  }

 private:
  mutable std::mutex lock_;
  std::map<std::string, int> of_;
};

struct a_node {
  a_node(const postgres_server& in, runs& counted) : timers(on, durable::postgres_store(in.url())) {
    timers.handle("runs", [&](job& of) {
      counted.add(of);
      return outcome::done();
    });
    timers.handle("fails",
                  [&](job& of) {
                    counted.add(of);
                    return outcome::retry("no account");
                  },
                  {.max_attempts = 1});
    timers.start();
  }
  engine on;
  durable::timers timers;
};

template <class Condition>
void wait_for(Condition met) {
  for (int i = 0; i != 60'000 && !met(); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(met());
}

void put(postgres_client& by, const std::string& key, const std::string& after, const std::string& how = "runs") {
  by.ask("select detent.schedule_at('" + how + "', clock_timestamp() + interval '" + after + "', key => '" + key +
         "')");
}

TEST(DurablePostgresDump, GoesOnInAnotherServerAndNothingIsLostOrRunsTwice) {
  DETENT_NEED_POSTGRES();
  constexpr int each = 100;
  const postgres_server first, second;
  runs counted;
  std::map<std::string, int> expected;
  const auto expect = [&](const std::string& key) { return ++expected[key], key; };
  {
    a_node node(first, counted);
    postgres_client user(first.url());
    put(user, expect("dead"), "0 s", "fails");
    // Each is a transaction: by the numbers of these, the rows are of the other server's future.
    for (int i = 0; i != each; ++i) put(user, expect("before" + std::to_string(i)), "0 s");
    for (int i = 0; i != each; ++i) put(user, expect("after" + std::to_string(i)), "1 h");
    wait_for([&] { return counted.all().size() == each + 1; });
  }
  first.ask("update detent.timers set due = clock_timestamp()");  // they become due while no node runs
  const auto words_of = [](const postgres_server& its, const char* program) {
    return postgres_server::program(program) + " -h " + its.directory() + " -U postgres ";
  };
  const std::string move = words_of(first, "pg_dump") + "postgres | " + words_of(second, "psql") +
                           "-Xq -v ON_ERROR_STOP=1 postgres >/dev/null";
  ASSERT_EQ(std::system(move.c_str()), 0) << move;
  a_node node(second, counted);
  postgres_client user(second.url());
  put(user, expect("new"), "0 s");
  wait_for([&] { return counted.all().size() == expected.size(); });
  put(user, expect("newer"), "0 s");
  wait_for([&] { return counted.all().size() == expected.size(); });
  EXPECT_TRUE(node.timers.flush(60s));
  EXPECT_TRUE(node.timers.list({}).empty());
  ASSERT_EQ(node.timers.list({.dead = true}).size(), 1u);
  EXPECT_EQ(node.timers.list({.dead = true})[0].key, "dead");
  EXPECT_EQ(counted.all(), expected);
}

}  // namespace
}  // namespace detent
