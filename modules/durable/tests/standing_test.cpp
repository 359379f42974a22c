// SPDX-License-Identifier: MIT
// A node whose clock, whose link or whose view of the others is not as it should be: what it takes, and what it says.
#include "conformance.hpp"
#include "histories.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace durable_test {
namespace {

constexpr auto lease = 1000ms;  // no thread is off the processor for so long
const options quick{.horizon = 200ms, .lease = lease};

class Standing : public testing::Test {
 protected:
  memory data{8};
  journal book;

  bool owns_all(a_node& one) {
    return soon([&] { return one.on.metrics().shards_owned == 8; });
  }
  void schedule(a_node& by, int count, std::chrono::milliseconds apart) {
    const auto begin = now() + 100ms;
    for (int i = 0; i < count; ++i)
      by.on.schedule_at(begin + i * apart, "write", {}, {.key = std::string("k").append(std::to_string(i))});
    ASSERT_TRUE(by.on.flush(60s));
  }
  // Each ran, and once.
  bool all_ran(std::size_t count) {
    return soon([&] { return book.size() >= count; }) && distinct() == count && book.size() == count;
  }
  std::size_t distinct() const {
    std::set<std::string> keys;
    for (const auto& line : book.lines()) keys.insert(line.key);
    return keys.size();
  }
};

using SlowLink = Standing;

// Each call takes so long that by the option no term would be renewed in time.
TEST_F(SlowLink, TakesShardsAndLosesNoTerm) {
  a_node a(data.connect(), book, quick, "a");
  a.connection->trip = 200ms;
  a.on.start();
  ASSERT_TRUE(owns_all(a));
  schedule(a, 40, 100ms);
  EXPECT_TRUE(all_ran(40));
  EXPECT_EQ(a.on.metrics().terms_lost, 0u);
}

TEST_F(SlowLink, MakesAClockThatIsOffLessCertain) {
  a_node a(data.connect(), book, quick, "a");
  a.connection->trip = 200ms;
  a.connection->ahead = 100ms;  // more than max_skew, and within half of the trip
  a.on.start();
  EXPECT_TRUE(owns_all(a));
}

using ClockOff = Standing;

TEST_F(ClockOff, TakesNothing) {
  a_node a(data.connect(), book, quick, "a");
  schedule(a, 10, 1ms);
  a.connection->ahead = 300ms;
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().stalled == stall::clock_off; }));
  EXPECT_EQ(a.on.metrics().waiting, 10u);
  EXPECT_EQ(a.on.metrics().shards_owned, 0u);
  EXPECT_NE(a.reported->all().find("10 stored timers wait, no shard is taken"), std::string::npos) << a.reported->all();
  a.connection->ahead = 0us;
  EXPECT_TRUE(owns_all(a));
  EXPECT_TRUE(soon([&] { return a.on.metrics().stalled == stall::none && a.on.metrics().waiting == 0; }));
}

using WithoutTheRoll = Standing;

TEST_F(WithoutTheRoll, TheShardsOfANodeThatDiedAreTakenOver) {
  roll_call answer;
  ASSERT_EQ(data.connect()->call_roll("ghost", 1h, answer), errc{});
  for (shard_id shard = 0; shard < 4; ++shard)
    EXPECT_EQ(asker{*data.connect()}.take(shard, "ghost", 3s).status, take_status::taken);
  a_node a(data.connect(), book, quick, "a");
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 4; }));
  a.connection->roll_cut = true;
  ASSERT_TRUE(owns_all(a));
  EXPECT_EQ(a.on.metrics().terms_lost, 0u);
}

TEST_F(WithoutTheRoll, NodesKeepWhatTheyHaveAndDoNotFight) {
  a_node a(data.connect(), book, quick, "a");
  a_node b(data.connect(), book, quick, "b");
  a.connection->roll_cut = b.connection->roll_cut = true;
  a.on.start();
  b.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned + b.on.metrics().shards_owned == 8; }));
  const auto terms = [&] { return a.on.metrics().terms + b.on.metrics().terms; };
  const std::uint64_t before = terms();
  schedule(a, 60, 50ms);  // for three leases
  EXPECT_TRUE(all_ran(60));
  EXPECT_EQ(terms(), before);
  EXPECT_EQ(a.on.metrics().terms_lost + b.on.metrics().terms_lost, 0u);
}

// The store's time is then known by the fences alone.
TEST_F(WithoutTheRoll, ANodeWhoseClockIsAheadTakesNothing) {
  a_node a(data.connect(), book, quick, "a");
  a.connection->roll_cut = true;
  a.connection->ahead = -1h;
  a.on.schedule_after(30min, "write", {});
  a.on.start();
  EXPECT_TRUE(soon([&] { return a.reported->has(detent::durable::errc::not_permitted); }));
  EXPECT_TRUE(soon([&] { return a.on.metrics().shards_owned == 0; }));
}

using DifferentHandlers = Standing;

// The bound is proved in virtual time: lending_model_test.cpp. Here a busy machine adds to it.
TEST_F(DifferentHandlers, EachTimerComesToANodeThatHasIts) {
  constexpr auto short_lease = 500ms;
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::unique_ptr<a_node>> nodes;
  for (const char* const name : {"a", "b", "c"}) {
    nodes.push_back(
        std::make_unique<a_node>(data.connect(), book, options{.horizon = 200ms, .lease = short_lease}, name));
    nodes.back()->on.handle(std::string("of ").append(name), [&, name](job& of) {
      book.write(of, name);
      return outcome::done();
    });
    nodes.back()->on.start();
  }
  ASSERT_TRUE(soon([&] {
    std::size_t owned = 0;
    for (const auto& node : nodes) owned += node->on.metrics().shards_owned;
    return owned == 8;
  }));
  constexpr int count = 600;
  const auto begin = now() + 100ms;
  for (int i = 0; i < count; ++i) {
    const char* const handlers[] = {"of a", "of b", "of c", "write", "of nobody"};
    nodes[random() % 3]->on.schedule_at(begin + i * 5ms, handlers[i % 5], {});
  }
  EXPECT_TRUE(all_ran(count / 5 * 4));
  for (const auto& line : book.lines()) EXPECT_LE(line.started - line.due, 8 * short_lease) << line.key;
}

}  // namespace
}  // namespace durable_test
