// SPDX-License-Identifier: MIT
// Tests changes of timers that a transaction of the program's own holds: they wait, and no others do. In virtual time.
#include "../src/stores/attempts.hpp"
#include "conformance.hpp"
#include "transactions.hpp"

#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace durable_test {
namespace {

using detent::wall_time;

constexpr wall_time new_year{std::chrono::sys_days(std::chrono::year(2027) / 1 / 1)};

class HeldTimers : public testing::Test {
 protected:
  detent::manual_clock clock;
  const virtual_time time{&clock, new_year};
  memory data{4, time};
  database rows{data};
  pg_conn open{rows};  // a transaction that goes on
  detent::engine engine{{.manual = &clock}};
  std::vector<std::string> log;
  std::unique_ptr<timers> on = make();

  std::unique_ptr<timers> make(options how = {}) {
    how.time = time;
    how.on_trouble = [this](std::error_code, std::string_view text) { log.emplace_back(text); };
    auto made = std::make_unique<timers>(engine, std::make_shared<transactional>(data.connect(), rows), std::move(how));
    made->handle("h", [this](job& of) {
      log.push_back("ran " + std::string(of.key()));
      return outcome::done();
    });
    return made;
  }
  void pass(detent::duration length) { clock.run_for(length, engine); }
  void put(const std::string& key, detent::duration after = 1h, on_conflict how = on_conflict::keep) {
    on->schedule_after(after, "h", {}, {.key = key, .conflict = how, .on_stored = [this, key](const put_result& its) {
                                          log.push_back(key + (its ? ": " + its.error().message() : " stored"));
                                        }});
  }
  void cancel(const std::string& key, detent::duration patience = 1h) {
    on->cancel(
        key, [this](cancel_result its) { log.push_back("cancel " + std::to_string(static_cast<int>(its))); }, patience);
  }
  std::vector<std::string> keys() {
    std::vector<std::string> out;
    for (const listed& one : on->list({.limit = 100'000})) out.push_back(one.key);
    return out;
  }
};
using lines = std::vector<std::string>;

TEST_F(HeldTimers, WaitInTheirOrderAndNoOthersWaitForThem) {
  open.hold(stored_key("k"));
  put("k");
  put("o");
  put("k", 2h, on_conflict::replace);
  on->restart_at("k", new_year + 3h, [this](std::error_code its) { log.push_back(its ? "not moved" : "moved"); });
  EXPECT_FALSE(on->flush(1s));
  cancel("k");
  put("p");
  pass(10s);
  EXPECT_EQ(log, (lines{"o stored", "p stored"}));
  EXPECT_EQ(on->metrics().outbox, 4u);
  open.roll_back();
  pass(1s);
  EXPECT_EQ(log, (lines{"o stored", "p stored", "k stored", "k stored", "moved", "cancel 0"}));
  EXPECT_EQ(keys(), (lines{"o", "p"}));
  EXPECT_EQ(on->metrics().outbox, 0u);
  EXPECT_EQ(on->metrics().unavailable, 0u) << "it is no trouble with the store";
}

TEST_F(HeldTimers, AreTriedAgainAtAPace) {
  open.hold(stored_key("k"));
  put("k");
  pass(10s);
  EXPECT_GE(rows.busy[stored_key("k")], 20);
  EXPECT_LE(rows.busy[stored_key("k")], 200);
  for (int i = 0; i != 1000; ++i) {  // a stream of others does not hold that up
    put(std::to_string(i));
    pass(1ms);
  }
  rows.busy.clear();
  for (int i = 0; i != 1000; ++i) {
    open.hold(stored_key("more" + std::to_string(i)));
    put("more" + std::to_string(i));
    pass(1ms);
  }
  EXPECT_GE(rows.busy[stored_key("k")], 2);
  EXPECT_LE(rows.busy[stored_key("k")], 20);
}

TEST_F(HeldTimers, ManyOfThemDoNotHoldUpOneThatIsFree) {
  open.hold(stored_key("odd"));
  on->schedule_after(2h, "h", {}, {.key = "odd"});  // so that batches end between the changes of a key
  for (int i = 0; i != 9000; ++i) {                 // more than go into a batch
    const std::string key = std::to_string(i);
    open.hold(stored_key(key));
    on->schedule_after(1h, "h", {}, {.key = key});
    on->restart_at(key, new_year + 2h);
  }
  pg_conn other(rows);
  other.hold(stored_key("k"));
  put("k");
  put("k", 2h, on_conflict::replace);
  pass(1s);
  other.roll_back();
  pass(2s);
  EXPECT_EQ(log, (lines{"k stored", "k stored"}));
  open.roll_back();
  EXPECT_TRUE((pass(2s), on->flush(1s)));
  const auto left = on->list({.until = new_year + 2h, .limit = 100'000});
  EXPECT_TRUE(left.empty()) << left.size() << " were moved before they were put";
  EXPECT_EQ(keys().size(), 9002u);
}

TEST_F(HeldTimers, ACancelHasItsPatience) {
  put("k");
  pass(1s);
  open.hold(stored_key("k"));
  cancel("k", 2s);
  pass(1s);
  EXPECT_EQ(log, (lines{"k stored"}));
  pass(1100ms);
  EXPECT_EQ(log, (lines{"k stored", "cancel 3"}));
  open.roll_back();
  pass(1s);
  EXPECT_EQ(keys(), (lines{"k"})) << "it was answered, and is not carried out";
}

TEST_F(HeldTimers, TheirEndsDoNotCountAsUnwritten) {
  on = make({.unwritten = 1});
  on->start();
  put("k", 1s);
  put("o", 2s);
  pass(500ms);
  open.hold(stored_key("k"));
  pass(10s);
  EXPECT_EQ(std::ranges::count(log, "ran o"), 1);
  EXPECT_EQ(on->metrics().ends, 1u);
  open.roll_back();
  pass(1s);
  EXPECT_EQ(on->metrics().ends, 0u);
  EXPECT_TRUE(keys().empty());
  EXPECT_EQ(std::ranges::count(log, "ran k"), 1);
}

TEST_F(HeldTimers, ANodeThatEndsLeavesThemToTheNextAndGivesItsTermsBack) {
  on->start();
  put("k", 1s);
  pass(500ms);
  open.hold(stored_key("k"));
  open.hold(stored_key("new"));
  put("new");
  pass(10s);
  EXPECT_EQ(on->metrics().ends, 1u);
  on.reset();
  EXPECT_EQ(log.back(), "new: " + make_error_code(errc::stopped).message());
  std::vector<shard_state> shards(4);
  EXPECT_EQ(rows.rows->look(shards), errc{});
  for (const shard_state& one : shards) EXPECT_EQ(one.node, "");
  open.roll_back();
  on = make();
  on->start();
  pass(10s);
  EXPECT_EQ(std::ranges::count(log, "ran k"), 2) << "the store did not have its end";
  EXPECT_TRUE(keys().empty());
}

// Both bear a mark, as if they had ended a process: each of them starts alone, and once the store has another mark.
TEST_F(HeldTimers, ASuspectThatCannotBeMarkedDoesNotHoldUpAnother) {
  const detail::attempts suspect{.number = 1, .lost = 1, .marks = 1};
  open.hold(stored_key("a"));
  on->start();
  for (const char* key : {"a", "b"}) {
    asker{*rows.rows}.put({.shard = shard_of(key, "", 4),
                           .key = stored_key(key),
                           .id = static_cast<std::uint64_t>(*key),
                           .due = std::chrono::time_point_cast<stored_time::duration>(new_year) + 1s,
                           .attempt = suspect.stored(),
                           .handler = "h"});
  }
  pass(1min);
  EXPECT_EQ(log, (lines{"ran b"}));
  open.roll_back();
  pass(1min);
  EXPECT_EQ(log, (lines{"ran b", "ran a"}));
  EXPECT_TRUE(keys().empty());
}

}  // namespace
}  // namespace durable_test
