// SPDX-License-Identifier: MIT
// Look-ups and dead timers as users of the library see them, on every store. A store joins by a bed:
//   std::shared_ptr<store> connect();  // for one timers at a time, of several shards
#pragma once

#include "nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace durable_test {

template <class Bed>
class LookUps : public testing::Test {
 protected:
  // Timers of that many keys die, and the store has them.
  void kill(a_node& by, const std::string& prefix, int count, const std::string& handler = "dies") {
    const std::uint64_t before = by.on.metrics().dead;
    for (int i = 0; i < count; ++i)
      by.on.schedule_after(0s, handler, bytes("of " + prefix), {.key = prefix + std::to_string(i)});
    ASSERT_TRUE(soon([&] { return by.on.metrics().dead == before + static_cast<std::uint64_t>(count); }));
  }
  static void let_die(a_node& by) {
    for (const char* name : {"dies", "dies too"}) by.on.handle(name, [](job&) { return outcome::dead("its hour"); });
  }
  static std::error_code refused(const std::function<void()>& call, std::string_view words) {
    try {
      call();
    } catch (const detent::error& why) {
      EXPECT_NE(std::string_view(why.what()).find(words), std::string_view::npos) << why.what();
      return why.code();
    }
    return {};
  }

  Bed bed;
  journal book;
};
TYPED_TEST_SUITE_P(LookUps);

TYPED_TEST_P(LookUps, GetTellsAllOfATimerBeforeItsNodeHasBegun) {
  a_node node(this->bed.connect(), this->book);
  this->let_die(node);
  const detent::wall_time due = std::chrono::floor<std::chrono::seconds>(now()) + 1h;
  node.on.schedule_at(due, "write", bytes("body"), {.key = "k", .partition = "p"});
  node.on.schedule_at(due, "write", {}, {.key = "k"});
  ASSERT_TRUE(node.on.flush(60s));
  const auto got = node.on.get({"k", "p"});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->key, "k");
  EXPECT_EQ(got->partition, "p");
  EXPECT_EQ(got->handler, "write");
  EXPECT_EQ(got->due, due);
  EXPECT_EQ(got->attempt, 1u);
  EXPECT_TRUE(std::ranges::equal(got->payload, bytes("body")));
  EXPECT_FALSE(got->died);
  EXPECT_TRUE(node.on.get("k")->payload.empty());
  EXPECT_TRUE(node.on.exists({"k", "p"}));
  EXPECT_FALSE(node.on.exists({"k", "q"}));
  EXPECT_FALSE(node.on.get("kk"));
  EXPECT_FALSE(node.on.get(""));
  EXPECT_EQ(this->refused([&] { node.on.get(std::string(129, 'k')); }, "a key of 129 bytes: at most 128"),
            errc::too_large);
  node.on.start();
  const detent::wall_time before = now() - 1s;
  this->kill(node, "dead", 1);
  const auto dead = node.on.get("dead0");
  ASSERT_TRUE(dead && dead->died);
  EXPECT_GT(*dead->died, before);
  EXPECT_LT(*dead->died, now() + 1s);
  EXPECT_EQ(dead->why, "its hour");
  EXPECT_FALSE(node.on.exists("dead0")) << "its name is free";
  EXPECT_TRUE(soon([&] { return node.on.metrics().dead_in_store == 1; }));
}

TYPED_TEST_P(LookUps, PagesHaveEachTimerOnceAndSaySoWhenThereIsNoMore) {
  a_node node(this->bed.connect(), this->book);
  const detent::wall_time begin = std::chrono::floor<std::chrono::seconds>(now()) + 1h;
  for (int i = 0; i < 1500; ++i)
    node.on.schedule_at(begin + std::chrono::seconds(i / 100), i % 3 == 0 ? "third" : "write", {},
                        {.key = (i % 2 == 0 ? "even:" : "odd:") + std::to_string(i), .partition = i < 300 ? "p" : ""});
  ASSERT_TRUE(node.on.flush(60s));
  const auto pages = [&](query which) {
    std::set<std::pair<std::string, std::string>> seen;
    std::map<std::uint16_t, detent::wall_time> last;
    std::string after;
    do {
      const listed_page page = node.on.page(which, after);
      EXPECT_LE(page.timers.size(), which.limit);
      for (const listed& one : page.timers) {
        EXPECT_TRUE(seen.emplace(one.partition, one.key).second) << one.key;
        EXPECT_GE(one.due, last[one.shard]);
        last[one.shard] = one.due;
      }
      after = page.next;
    } while (!after.empty());
    EXPECT_EQ(node.on
                  .list([&] {
                    query all = which;
                    all.limit = SIZE_MAX;
                    return all;
                  }())
                  .size(),
              seen.size());
    return seen.size();
  };
  EXPECT_EQ(pages({.limit = 97}), 1500u);
  EXPECT_EQ(pages({.limit = 5000}), 1500u);
  EXPECT_EQ(pages({.handler = "third", .limit = 10}), 500u);
  EXPECT_EQ(pages({.key_prefix = "odd:", .limit = 50}), 750u);
  EXPECT_EQ(pages({.partition = "p", .limit = 7}), 300u);
  EXPECT_EQ(pages({.partition = "", .limit = 1000}), 1200u);
  EXPECT_EQ(pages({.from = begin + 2s, .until = begin + 4s, .limit = 30}), 200u);
  EXPECT_EQ(pages({.dead = true}), 0u);
  EXPECT_EQ(pages({.partition = "none"}), 0u);
  for (const char* bad : {"x", "0", "zz00", "ffff00"})
    EXPECT_EQ(this->refused([&] { node.on.page({}, bad); }, "page: after = \"" + std::string(bad)),
              detent::errc::invalid_option);
  EXPECT_EQ(this->refused([&] { node.on.list({.handler = std::string(65, 'h')}); }, "query::handler of 65 bytes"),
            errc::too_large);
}

TYPED_TEST_P(LookUps, PurgeAndReviveTakeWhatAListOfTheDeadFinds) {
  a_node node(this->bed.connect(), this->book);
  std::atomic<bool> heals{false};
  node.on.handle("dies", [&](job& of) {
    if (heals) this->book.write(of);
    return heals ? outcome::done() : outcome::dead("its hour");
  });
  node.on.handle("dies too", [](job&) { return outcome::dead("its hour"); });
  node.on.start();
  this->kill(node, "a", 150);
  this->kill(node, "b", 20, "dies too");
  node.on.schedule_after(1h, "write", {}, {.key = "b lives"});
  ASSERT_TRUE(node.on.flush(60s));
  EXPECT_EQ(node.on.list({.dead = true, .limit = 1000}).size(), 170u);
  EXPECT_EQ(node.on.purge({.handler = "nobody"}), 0u);
  EXPECT_EQ(node.on.purge({.key_prefix = "b", .limit = 5}), 5u);
  EXPECT_EQ(node.on.purge({.handler = "dies too", .limit = 1000}), 15u);
  EXPECT_TRUE(node.on.exists("b lives"));
  EXPECT_FALSE(node.on.get("b0"));
  EXPECT_EQ(node.on.purge({.until = now() - 1h}), 0u) << "none has died that long ago";
  heals = true;
  EXPECT_EQ(node.on.revive({.key_prefix = "a1", .limit = 1000}), 61u);
  EXPECT_TRUE(soon([&] { return this->book.size() == 61; }));
  EXPECT_EQ(this->book.lines().front().payload, "of a");
  EXPECT_EQ(node.on.purge({.limit = 1000}), 89u);
  EXPECT_TRUE(soon([&] { return node.on.metrics().dead_in_store == 0; }));
}

TYPED_TEST_P(LookUps, TheDeadAreKeptForSoLong) {
  a_node node(this->bed.connect(), this->book, {.dead_for = 300ms});
  this->let_die(node);
  node.on.start();
  this->kill(node, "d", 250);
  EXPECT_TRUE(soon([&] { return node.on.list({.dead = true}).empty(); }));
  EXPECT_TRUE(soon([&] { return node.on.metrics().dead_in_store == 0; }));
  EXPECT_EQ(node.on.metrics().dead, 250u) << "they died all the same";
}

TYPED_TEST_P(LookUps, SoManyDeadAreKeptAndTheOldestGo) {
  a_node node(this->bed.connect(), this->book, {.most_dead = 10});
  this->let_die(node);
  node.on.start();
  this->kill(node, "early", 60);
  EXPECT_TRUE(soon([&] { return node.on.list({.dead = true}).size() == 10; }));
  this->kill(node, "late", 10);
  EXPECT_TRUE(soon([&] {
    const auto left = node.on.list({.dead = true});
    return left.size() == 10 &&
           std::ranges::all_of(left, [](const listed& one) { return one.key.starts_with("late"); });
  }));
}

REGISTER_TYPED_TEST_SUITE_P(LookUps, GetTellsAllOfATimerBeforeItsNodeHasBegun,
                            PagesHaveEachTimerOnceAndSaySoWhenThereIsNoMore, PurgeAndReviveTakeWhatAListOfTheDeadFinds,
                            TheDeadAreKeptForSoLong, SoManyDeadAreKeptAndTheOldestGo);

}  // namespace durable_test
