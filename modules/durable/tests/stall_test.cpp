// SPDX-License-Identifier: MIT
// Why stored timers wait is said at once and each minute, and is in the metrics: in virtual time.
#include "../src/node/stall_watch.hpp"
#include "conformance.hpp"
#include "nodes.hpp"
#include "support/temporary_directory.hpp"
#include "virtual_clocks.hpp"

#include <detent/counters_layout.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace durable_test {
namespace {

using namespace detent::durable::detail;

constexpr shard_id shards = 4;

class Stall : public testing::Test {
 protected:
  void put(int timers) {
    for (int i = 0; i < timers; ++i) {
      const std::string key = "k" + std::to_string(i);
      asker{*in}.put({shard_of(key, {}, shards), stored_key(key), std::uint64_t(i) + 1, here.wall_now()});
    }
  }
  void take_all() {
    roll_call answer;
    ASSERT_EQ(in->call_roll("me", 1h, answer), errc{});
    terms.share_out(roll::of(answer.nodes));
    ASSERT_EQ(terms.take([](shard_id) {}), errc{});
    ASSERT_EQ(terms.owned(), shards);
  }
  // A tick each 100 ms.
  void pass(std::chrono::milliseconds time, const stall_watch::state& state) {
    for (const auto end = here.elapsed() + time; here.elapsed() < end; machine.advance(100ms)) watch->look(state);
  }
  std::size_t said(std::string_view what) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [&](const std::string& line) { return line.find(what) != std::string::npos; }));
  }

  // In the engine's counters file.
  std::pair<std::string, std::uint64_t> shown() const {
    detent::counters_layout::header header;
    std::ifstream(directory.path() + "/counters", std::ios::binary)
        .read(reinterpret_cast<char*>(&header), sizeof header);
    return {header.stall_text, header.stall_waiting};
  }

  const detent::test::temporary_directory directory;
  memory data{shards, time_of_machine};
  const std::shared_ptr<breakable> in = std::make_shared<breakable>(data.connect());
  std::vector<std::string> lines;
  const options how{.lease = 1s,
                    .on_trouble = [this](std::error_code, std::string_view line) { lines.emplace_back(line); }};
  counts counted;
  trouble problems{how, "a store", here};
  tenures terms{*in, "me", how, here};
  detent::engine engine{{.drive = detent::drive_kind::caller, .counters_file = directory.path() + "/counters"}};
  const registry none;
  const common with{engine, *in, how, here, none, terms, problems, counted};
  std::optional<stall_watch> watch{std::in_place, with};
  roll nobody;
};

TEST_F(Stall, OfAClockThatIsOffIsSaidAtOnceAndEachMinute) {
  put(10);
  counted.now.skew = -312ms;
  const stall_watch::state state{.clock_off = true, .with = nobody};
  pass(100ms, state);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "10 stored timers wait, no shard is taken, because this node's clock is off by 312 ms (ahead of the "
            "store's), more than max_skew (50 ms)");
  EXPECT_EQ(counted.now.stalled, stall::clock_off);
  EXPECT_EQ(counted.now.waiting, 10u);
  EXPECT_EQ(shown(), std::pair("clock_off: " + lines[0], std::uint64_t{10}));
  pass(119s, state);
  EXPECT_EQ(lines.size(), 2u);
  pass(100ms, {.with = nobody});
  EXPECT_EQ(counted.now.stalled, stall::none);
  EXPECT_EQ(counted.now.waiting, 0u);
  EXPECT_EQ(shown(), std::pair(std::string(), std::uint64_t{0}));
}

TEST_F(Stall, OfANodeThatEndsIsShownNoMore) {
  pass(100ms, {.clock_off = true, .with = nobody});
  EXPECT_NE(shown().first, "");
  watch.reset();
  EXPECT_EQ(shown().first, "");
}

TEST_F(Stall, OfAClockThatIsOffDoesNotCountWhatAnotherNodeHas) {
  put(10);
  for (shard_id shard = 0; shard < shards; ++shard) asker{*in}.take(shard, "other", 1h);
  pass(100ms, {.clock_off = true, .with = nobody});
  EXPECT_EQ(counted.now.stalled, stall::clock_off);
  EXPECT_EQ(counted.now.waiting, 0u);
  pass(100ms, {.with = nobody});
  pass(3s, {.with = nobody});
  EXPECT_EQ(counted.now.stalled, stall::no_shard) << "it stands by";
  EXPECT_EQ(lines.size(), 1u) << "which is no trouble";
}

TEST_F(Stall, OfAHandlerThatNoNodeHasIsSaidAfterTwoLeases) {
  take_all();
  terms.of(1).lacks["rare"] = {{ability_of_handler("rare")}, here.wall_now()};
  const stall_watch::state state{.with = nobody, .unarmed = 5};
  pass(1900ms, state);
  EXPECT_EQ(lines.size(), 0u) << "a node that has it may come";
  pass(60s, state);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "5 stored timers wait, because no node has the handler \"rare\"");
  EXPECT_EQ(counted.now.stalled, stall::unknown_handler);
  EXPECT_EQ(counted.now.waiting, 5u);
  const std::vector<ability> has{ability_of_handler("rare")};
  const roll one = roll::of({"other", note_of_node("other", {has})});
  pass(100ms, {.with = one, .unarmed = 5});
  EXPECT_EQ(counted.now.stalled, stall::none) << "it will be lent to that one";
}

TEST_F(Stall, OfAStoreThatIsAwayIsSaidEachMinute) {
  for (int i = 0; i < 1250; ++i) {
    problems.ok(trouble::of::reading, errc::unavailable);
    watch->look({.problem = errc::unavailable, .with = nobody});
    machine.advance(100ms);
  }
  EXPECT_EQ(said("does not answer"), 3u);
  EXPECT_EQ(said("for 60 s now"), 1u);
  EXPECT_EQ(counted.now.stalled, stall::store_away);
}

TEST_F(Stall, OfALeaseThatIsTooShortForTheLinkIsSaidOnce) {
  terms.note_trip(200ms);
  pass(2min, {.with = nobody});
  EXPECT_EQ(said("durable::options::lease = 1000 ms: a round trip to the store takes 200 ms, so leases of 3200 ms"),
            1u);
}

}  // namespace
}  // namespace durable_test
