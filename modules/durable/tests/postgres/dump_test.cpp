// SPDX-License-Identifier: MIT
// Tests a store that pg_dump takes out of one server and psql brings into another one.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include <gtest/gtest.h>

#include "../nodes.hpp"

#include <cstdlib>
#include <string>

namespace durable_test {
namespace {

using detent::test::postgres_client;
using detent::test::postgres_server;

// A node whose handler "fails" gives its timers up.
struct dumped_node : a_node {
  dumped_node(const postgres_server& in, journal& book) : a_node(postgres_store(in.url()), book) {
    on.handle("fails",
              [&](job& of) {
                book.write(of);
                return outcome::retry("no account");
              },
              {.max_attempts = 1});
    on.start();
  }
};

void put(postgres_client& by, const std::string& key, const std::string& after, const std::string& how = "write") {
  by.ask("select detent.schedule_at('" + how + "', clock_timestamp() + interval '" + after + "', key => '" + key +
         "')");
}

TEST(DurablePostgresDump, GoesOnInAnotherServerAndNothingIsLostOrRunsTwice) {
  DETENT_NEED_POSTGRES();
  constexpr int each = 100;
  const postgres_server first, second;
  journal book;
  {
    const dumped_node node(first, book);
    postgres_client user(first.url());
    put(user, "dead", "0 s", "fails");
    // Each is a transaction: by the numbers of these, the rows are of the other server's future.
    for (int i = 0; i != each; ++i) put(user, "before" + std::to_string(i), "0 s");
    for (int i = 0; i != each; ++i) put(user, "after" + std::to_string(i), "1 h");
    EXPECT_TRUE(soon([&] { return book.size() == each + 1; }));
  }
  first.ask("update detent.timers set due = clock_timestamp()");  // they become due while no node runs
  const auto words_of = [](const postgres_server& its, const char* program) {
    return postgres_server::program(program) + " -h " + its.directory() + " -U postgres ";
  };
  const std::string move = words_of(first, "pg_dump") + "postgres | " + words_of(second, "psql") +
                           "-Xq -v ON_ERROR_STOP=1 postgres >/dev/null";
  ASSERT_EQ(std::system(move.c_str()), 0) << move;
  dumped_node node(second, book);
  postgres_client user(second.url());
  for (const char* const key : {"new", "newer"}) {
    put(user, key, "0 s");
    EXPECT_TRUE(soon([&] { return book.runs_of(key) == 1; }));
  }
  EXPECT_TRUE(soon([&] { return book.size() == 2 * each + 3; }));
  EXPECT_TRUE(node.on.flush(60s));
  EXPECT_TRUE(node.on.list({}).empty());
  ASSERT_EQ(node.on.list({.dead = true}).size(), 1u);
  EXPECT_EQ(node.on.list({.dead = true})[0].key, "dead");
  for (const journal::line& its : book.lines()) EXPECT_EQ(book.runs_of(its.key), 1) << its.key;
}

}  // namespace
}  // namespace durable_test
