// SPDX-License-Identifier: MIT
// The part of the suite about look-ups, and about what becomes of the dead.
#pragma once

#include "conformance_terms.hpp"

#include <atomic>
#include <memory>
#include <set>
#include <thread>

namespace durable_test {

// Timers of these keys, dead one after the other.
template <class Suite>
void kill_all(Suite& in, const term_ref& term, const std::vector<std::string>& names, std::uint64_t first_id = 1) {
  for (const std::string& name : names) {
    record its = timer(name, first_id++, at(1), term.shard);
    if (name.starts_with("a")) its.handler = "of a";
    ASSERT_EQ(in.put(its), change_status::stored);
    in.read(term, at(10));
    end_request kill = end_of(term, its, end_kind::kill);
    kill.why = "because of " + name;
    ASSERT_EQ(in.end(kill), change_status::ended);
    std::this_thread::sleep_for(milliseconds(2));  // so that each has another time
  }
}

// The partitions in which a timer of that key lives, or is dead.
inline std::multiset<std::string> partitions_of(store_view& in, std::string_view key, bool dead = false,
                                                std::size_t limit = 100) {
  std::vector<listed_record> found;
  EXPECT_EQ(in.find_by_key({{0, stored_key(key)}, dead, limit}, found), errc{});
  std::multiset<std::string> out;
  for (const listed_record& one : found) {
    EXPECT_EQ(parts_of(one.what.key).key, key);
    EXPECT_EQ(one.died.has_value(), dead);
    out.emplace(parts_of(one.what.key).partition);
  }
  return out;
}

TYPED_TEST_P(StoreConformance, FindsAKeyInWhateverPartitionItIs) {
  using partitions = std::multiset<std::string>;
  asker on = this->on();
  store& in = this->bed.get();
  const std::unique_ptr<store_view> apart = in.view_apart();
  EXPECT_EQ(partitions_of(*apart, "k"), partitions{});
  const std::string long_q(128, 'q');
  const record bare = timer(stored_key("k"), 1, at(1)), of_p = timer(stored_key("k", "p"), 2, at(2), 1),
               of_q = timer(stored_key("k", long_q), 3, at(3), 2);
  on.apply(
      {put_request{bare}, put_request{of_p}, put_request{of_q}, put_request{timer(stored_key("k1", "p"), 4, at(4), 1)},
       put_request{timer(stored_key("ak", "p"), 5, at(4), 1)}, put_request{timer(stored_key("x", "pk"), 6, at(4))}});
  for (store_view* const from : {static_cast<store_view*>(&in), apart.get()}) {
    EXPECT_EQ(partitions_of(*from, "k"), (partitions{"", "p", long_q}));
    EXPECT_EQ(partitions_of(*from, "k", false, 2).size(), 2u);
    EXPECT_EQ(partitions_of(*from, "k", true), partitions{});
    EXPECT_EQ(partitions_of(*from, "ak"), partitions{"p"});
    EXPECT_EQ(partitions_of(*from, "p"), partitions{});
  }
  std::vector<listed_record> found;
  EXPECT_EQ(in.find_by_key({{1, stored_key("k1")}}, found), errc{});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what.shard, 1u);
  EXPECT_EQ(found[0].what.id, 4u);
  EXPECT_EQ(found[0].what.payload, bytes_of("body"));
}

TYPED_TEST_P(StoreConformance, ListsTheDeadByTheTimeOfTheirDeaths) {
  asker on = this->on();
  const term_ref term = this->take();
  kill_all(on, term, {"c", "a", "d", "b"});
  const auto all = on.list({.shard = 0, .dead = true});
  ASSERT_EQ(keys_of(all), (keys{"c", "a", "d", "b"}));
  for (const listed_record& one : all) {
    ASSERT_TRUE(one.died);
    EXPECT_GT(*one.died, at(10)) << "by the clock, and not when it was due";
  }
  EXPECT_EQ(keys_of(on.list({.shard = 0, .from = *all[1].died, .until = *all[3].died, .dead = true})),
            (keys{"a", "d"}));
  EXPECT_EQ(keys_of(on.list({.shard = 0, .handler = "of a", .dead = true})), keys{"a"});
  std::vector<stored_time> times(bed_shards);
  for (std::size_t nth = 1; nth <= 5; ++nth) {
    EXPECT_EQ(this->bed.get().look_at_deaths(nth, times), errc{});
    EXPECT_EQ(times[0], nth <= 4 ? *all[nth - 1].died : stored_time::max()) << nth;
    EXPECT_EQ(times[1], stored_time::max());
  }
  on.put(timer("a", 9, at(1)), put_mode::revive);
  EXPECT_EQ(this->bed.get().look_at_deaths(2, times), errc{});
  EXPECT_EQ(times[0], *all[2].died) << "it lives again";
}

TYPED_TEST_P(StoreConformance, PurgesDeadOnesThatAListWouldFind) {
  asker on = this->on();
  const term_ref term = this->take();
  kill_all(on, term, {"a1", "b1", "a2", "b2", "a3"});
  on.put(timer("a9", 20, at(1)));
  const auto all = on.list({.shard = 0, .dead = true});
  const auto purge = [&](const list_request& which) {
    purge_page out;
    EXPECT_EQ(this->bed.get().purge(which, out), errc{});
    return out.erased;
  };
  std::vector<shard_state> states(bed_shards);
  EXPECT_EQ(purge({.shard = 1, .dead = true}), 0u);
  EXPECT_EQ(purge({.shard = 0, .until = *all[0].died, .dead = true}), 0u);
  EXPECT_EQ(purge({.shard = 0, .handler = "of a", .dead = true, .limit = 2}), 2u) << "those that died first";
  EXPECT_EQ(keys_of(on.list({.shard = 0, .dead = true})), (keys{"b1", "b2", "a3"}));
  EXPECT_EQ(purge({.shard = 0, .key_prefix = "b", .until = *all[3].died, .dead = true}), 1u);
  EXPECT_EQ(this->bed.get().look(states), errc{});
  EXPECT_EQ(states[0].dead, 2u);
  EXPECT_FALSE(on.find(0, "b1"));
  EXPECT_EQ(on.put(timer("b1", 30, at(5)), put_mode::revive), change_status::gone);
  EXPECT_EQ(purge({.shard = 0, .dead = true}), 2u);
  EXPECT_EQ(this->bed.get().look(states), errc{});
  EXPECT_EQ(states[0].dead, 0u);
  EXPECT_EQ(states[0].timers, 1u) << "what lives is left alone";
}

TYPED_TEST_P(StoreConformance, ALookAtManyTakesPieces) {
  constexpr std::size_t count = 3000;
  std::vector<change> puts;
  for (std::uint64_t i = 0; i < count; ++i)
    puts.push_back(put_request{timer("k" + std::to_string(i), i + 1, at(i < 1000 ? 1 : static_cast<std::int64_t>(i)))});
  this->on().apply(puts);
  list_request which{.shard = 0, .handler = "nobody", .limit = count};
  std::size_t pieces = 0;
  do {
    list_page found;
    ASSERT_EQ(this->bed.get().list(which, found), errc{});
    EXPECT_TRUE(found.found.empty());
    which.after = found.next;
    ++pieces;
  } while (!which.after.empty());
  EXPECT_GT(pieces, 3u) << "a few hundred each";
  std::set<std::string> seen;
  which = {.shard = 0, .limit = 70};
  do {  // a thousand of one instant among them; and where a page ends, its last one goes
    list_page found;
    ASSERT_EQ(this->bed.get().list(which, found), errc{});
    for (const listed_record& one : found.found) EXPECT_TRUE(seen.insert(one.what.key).second) << one.what.key;
    if (!found.found.empty()) this->on().cancel(0, found.found.back().what.key);
    which.after = found.next;
  } while (!which.after.empty());
  EXPECT_EQ(seen.size(), count);
  std::vector<std::uint64_t> due(bed_shards);
  EXPECT_EQ(this->bed.get().count_due(stored_time::max(), due), errc{});
  EXPECT_EQ(due[0], this->on().list({.shard = 0, .limit = count}).size());
  EXPECT_EQ(this->bed.get().count_due(at(1), due), errc{});
  EXPECT_EQ(due[0], this->on().list({.shard = 0, .until = at(2), .limit = count}).size());
  EXPECT_EQ(due[1], 0u);
}

TYPED_TEST_P(StoreConformance, AViewApartIsOfTheSameTimersWhileTheStoreChangesThem) {
  const std::unique_ptr<store_view> apart = this->bed.get().view_apart();
  const term_ref term = this->take();
  asker on = this->on();
  kill_all(on, term, {"dead"});
  this->on().put(timer("stays", 50, at(5)));
  std::atomic<bool> over{false};
  std::thread looks([&] {
    while (!over) {
      std::optional<listed_record> found;
      ASSERT_EQ(apart->find({0, "stays"}, found), errc{});
      ASSERT_TRUE(found);
      list_page page;
      ASSERT_EQ(apart->list({.shard = 0}, page), errc{});
      ASSERT_GE(page.found.size(), 1u);
      std::vector<shard_state> states(bed_shards);
      ASSERT_EQ(apart->look(states), errc{});
      ASSERT_GE(states[0].timers, 1u);
    }
  });
  for (std::uint64_t i = 0; i < 200; ++i) {
    this->on().put(timer("k" + std::to_string(i), 100 + i, at(20)));
    if (i % 2 != 0) this->on().cancel(0, "k" + std::to_string(i));
  }
  over = true;
  looks.join();
  std::vector<shard_state> states(bed_shards);
  EXPECT_EQ(apart->look(states), errc{});
  EXPECT_EQ(states[0].timers, 101u);
  EXPECT_EQ(states[0].dead, 1u);
  EXPECT_EQ(states[0].fence, term.fence);
  std::vector<std::uint64_t> due(bed_shards);
  EXPECT_EQ(apart->count_due(at(5), due), errc{});
  EXPECT_EQ(due[0], 1u);
}

}  // namespace durable_test
