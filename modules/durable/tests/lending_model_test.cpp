// SPDX-License-Identifier: MIT
// Nodes with different handlers, in virtual time: what this node's threads do to its shards, step by step, and a store
// in memory. No timer waits longer than two leases for a node that has its handler.
#include "../src/node/roll.hpp"
#include "../src/node/tenures.hpp"
#include "histories.hpp"
#include "virtual_clocks.hpp"

#include <detent/durable_memory.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace durable_test {
namespace {

using namespace std::chrono_literals;
using namespace detent::durable;
using namespace detent::durable::detail;

constexpr shard_id shards = 4;
constexpr auto lease = 800ms;
constexpr auto tick = lease / 8;

struct model_timer {
  shard_id shard;
  std::string handler;
  stored_time due;
};

// A node without threads: each step is what the thread that talks to the store does in a pass.
class model_node {
 public:
  model_node(memory& data, std::string name, std::set<std::string> handlers)
      : store_(data.connect()),
        name_(std::move(name)),
        handlers_(std::move(handlers)),
        terms_(*store_, name_, how_, here) {
    for (const std::string& one : handlers_) has_.push_back(ability_of_handler(one));
  }

  bool has(const std::string& handler) const { return handlers_.contains(handler); }
  std::uint64_t taken() const noexcept { return taken_; }
  std::chrono::nanoseconds next_tick{};

  void pass(const std::vector<model_timer>& timers) {
    ASSERT_EQ(terms_.tell({has_}), errc{});
    roll_call answer;
    ASSERT_EQ(store_->call_roll(name_, terms_.lease(), answer), errc{});
    const roll with = roll::of(answer.nodes);
    terms_.share_out(with);
    read(timers);
    ASSERT_EQ(terms_.take([this](shard_id) { ++taken_; }), errc{});
    read(timers);
    terms_.pick_leaver([](shard_id) {});
    ASSERT_EQ(terms_.lend(with, [](shard_id) {}), errc{});
    std::vector<shard_id> done;
    for (shard_id shard = 0; shard < shards; ++shard)
      if (terms_.of(shard).term && terms_.of(shard).leaving) done.push_back(shard);
    ASSERT_EQ(terms_.give_back(done), errc{});
  }
  // Runs what is due in its shards, at any time. `ran` is called for each.
  template <class Ran>
  void run(std::vector<model_timer>& timers, Ran ran) {
    const stored_time now = here.wall_now();
    std::erase_if(timers, [&](const model_timer& one) {
      const auto& its = terms_.of(one.shard);
      if (one.due > now || !its.term || !its.term->stands() || its.level < one.due || !has(one.handler)) return false;
      ran(one);
      return true;
    });
  }
  void give_all_back() {
    std::vector<shard_id> all;
    for (shard_id shard = 0; shard < shards; ++shard)
      if (terms_.of(shard).term) all.push_back(shard);
    ASSERT_EQ(terms_.give_back(all), errc{});
  }

 private:
  void read(const std::vector<model_timer>& timers) {
    const stored_time upto = here.wall_now() + std::chrono::microseconds(lease);
    for (shard_id shard = 0; shard < shards; ++shard) {
      auto& its = terms_.of(shard);
      if (!its.term) continue;
      const read_request wanted{its.term->which(), upto, 0, terms_.lease()};
      read_result got;
      ASSERT_EQ(store_->read_on({&wanted, 1}, {&got, 1}), errc{});
      ASSERT_TRUE(got.stands) << "a term was lost";
      its.term->stand(here.elapsed(), terms_.lease());
      terms_.was_read(shard);
      its.level = upto;
      for (const model_timer& one : timers)
        if (one.shard == shard && one.due <= upto && !has(one.handler))
          terms_.lacks(shard, one.handler, std::vector{ability_of_handler(one.handler)}, one.due);
    }
  }

  const options how_{.lease = lease};
  const std::shared_ptr<store> store_;
  const std::string name_;
  const std::set<std::string> handlers_;
  std::vector<ability> has_;
  tenures terms_;
  std::uint64_t taken_ = 0;
};

class Lending : public testing::Test {
 protected:
  std::int64_t below(std::int64_t limit) { return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random); }
  model_node& join(std::set<std::string> handlers) {
    nodes.push_back(std::make_unique<model_node>(data, std::string("node").append(std::to_string(random() % 1000000)),
                                                 std::move(handlers)));
    nodes.back()->next_tick =
        here.elapsed() + std::chrono::microseconds(below(std::chrono::microseconds(tick).count()));
    return *nodes.back();
  }
  // Steps of two milliseconds; a node ticks an eighth of a lease after its last, and up to a tenth of that later.
  void pass(std::chrono::milliseconds time) {
    for (const auto end = here.elapsed() + time; here.elapsed() < end; machine.advance(2ms)) {
      if (!handlers_due.empty() && below(5) == 0)
        timers.push_back({static_cast<shard_id>(below(shards)),
                          handlers_due[static_cast<std::size_t>(below(std::ssize(handlers_due)))],
                          here.wall_now() + std::chrono::milliseconds(below(1000))});
      for (const auto& node : nodes) {
        node->run(timers, [this](const model_timer& one) { note(one); });
        if (here.elapsed() < node->next_tick) continue;
        node->pass(timers);
        node->next_tick =
            here.elapsed() + tick + std::chrono::microseconds(below(std::chrono::microseconds(tick / 10).count()));
      }
    }
  }
  std::uint64_t taken() const {
    std::uint64_t out = 0;
    for (const auto& node : nodes) out += node->taken();
    return out;
  }
  void note(const model_timer& ran) {
    if (ran.due >= from) longest = std::max(longest, here.wall_now() - ran.due);
  }
  void watch() {
    from = here.wall_now();
    longest = {};
  }
  // In leases, of the timers that were due since watch() and that a node is there for; those that wait still as well.
  double longest_wait() {
    for (const model_timer& one : timers)
      if (std::ranges::any_of(nodes, [&](const auto& node) { return node->has(one.handler); })) note(one);
    return std::chrono::duration<double>(longest) / lease;
  }

  const std::uint64_t seed = seed_of_run();
  std::mt19937_64 random{seed};
  memory data{shards, time_of_machine};
  std::vector<std::unique_ptr<model_node>> nodes;
  std::vector<std::string> handlers_due;
  std::vector<model_timer> timers;  // that wait
  stored_time from{};
  std::chrono::microseconds longest{};
};

TEST_F(Lending, KeepsNoTimerWaitingForTwoLeases) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (int round = 0; round < 6; ++round) {
    nodes.clear();
    timers.clear();
    data = memory(shards);
    const std::size_t count = 2 + static_cast<std::size_t>(round) % 3;  // of nodes
    handlers_due = {"common", "nobody's", "nobody's either"};
    for (std::size_t i = 0; i < count; ++i) {
      std::set<std::string> has{std::string("of ").append(std::to_string(i)),
                                std::string("also of ").append(std::to_string(i))};
      for (const std::string& one : has) handlers_due.push_back(one);
      if (below(2) == 0) has.insert("common");
      join(std::move(has));
    }
    pass(5 * lease);  // until all is taken
    watch();
    pass(25 * lease);
    EXPECT_LE(longest_wait(), 2.0) << "seed " << seed << ", round " << round << ", nodes " << count;
    std::printf("%zu nodes: at most %.2f leases; %llu terms\n", count, longest_wait(),
                static_cast<unsigned long long>(taken()));
  }
}

TEST_F(Lending, GoesToTheOneOfManyThatHasTheHandler) {
  for (int i = 0; i < 9; ++i) join({"common"});
  join({"common", "rare"});
  handlers_due = {"common", "rare"};
  pass(5 * lease);
  watch();
  pass(25 * lease);
  EXPECT_LE(longest_wait(), 2.0) << "seed " << seed;
}

TEST_F(Lending, OfARollingDeployEndsWithIt) {
  for (int i = 0; i < 3; ++i) join({"old"});
  handlers_due = {"old", "new"};
  pass(5 * lease);
  for (int i = 0; i < 3; ++i) {
    nodes.front()->give_all_back();
    nodes.erase(nodes.begin());
    join({"old", "new"});
    watch();
    pass(10 * lease);
    EXPECT_LE(longest_wait(), 2.0) << "seed " << seed << ", deployed " << i + 1;
  }
  pass(10 * lease);
  const std::uint64_t before = taken();
  pass(20 * lease);
  EXPECT_EQ(taken(), before) << "seed " << seed << ": no shard moves where all have the same handlers";
}

TEST_F(Lending, IsNotForAHandlerThatNobodyHas) {
  join({"common"});
  join({"common"});
  handlers_due = {"common", "nobody's"};
  pass(15 * lease);
  const std::uint64_t before = taken();
  pass(20 * lease);
  EXPECT_EQ(taken(), before) << "seed " << seed;
}

TEST(Roll, ReadsItsNotesAndNoOthers) {
  const std::vector<ability> has{ability_of_handler("a"), ability_of_schedule("a")};
  EXPECT_NE(has[0], has[1]);
  const std::vector<term_ref> first{{3, 10}, {4, 11}}, later{{3, 12}};
  std::string cut = note_of_loans("d", later);
  cut.pop_back();
  const roll read =
      roll::of({"c", "d", note_of_node("c", {has}), note_of_node("gone", {has}), note_of_loans("c", first),
                note_of_loans("d", later), cut, std::string("\0?what", 6), std::string(1, '\0')});
  EXPECT_EQ(read.nodes, (std::vector<std::string>{"c", "d"}));
  EXPECT_TRUE(read.has("c", has));
  EXPECT_FALSE(read.has("d", has));
  EXPECT_FALSE(read.has("gone", has)) << "its note is there still, and it is not";
  EXPECT_EQ(read.lent.at(3).to, "d") << "of the later term";
  EXPECT_EQ(read.lent.at(4).to, "c");
}

}  // namespace
}  // namespace durable_test
