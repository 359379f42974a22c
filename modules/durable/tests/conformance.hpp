// SPDX-License-Identifier: MIT
// The contract of <detent/durable_store.hpp>, as a suite that every store passes. A store joins by a bed and two lines:
//   INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, StoreConformance, sqlite_bed);
//   INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, StoreSuccessors, sqlite_bed);
// A bed is default-constructed for each test, empty, of bed_shards shards, and has
//   store& get();                                  // connected
//   void crash();                                  // the process that talks to it is killed, and another one connects
//   static constexpr bool terms_survive_crash;     // false where no other process can have had a term
//   static constexpr bool keys_are_text;           // only where keys and handlers are text, and no bytes
#pragma once

#include <detent/durable_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

namespace durable_test {

using namespace detent::durable;
using std::chrono::milliseconds;

inline constexpr shard_id bed_shards = 3;
inline constexpr milliseconds long_lease{3'600'000};

inline stored_time at(std::int64_t seconds) { return stored_time(std::chrono::seconds(1'000'000'000 + seconds)); }
inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto its = std::as_bytes(std::span(text));
  return {its.begin(), its.end()};
}
inline record timer(std::string key, std::uint64_t id, stored_time due, shard_id shard = 0) {
  return {shard, std::move(key), id, due, 1, "bill", "", bytes_of("body")};
}

// One entry at a time, each call asserted to succeed: what the tests say.
struct asker {
  store& its;

  take_result take(shard_id shard, std::string_view node = "a", milliseconds lease = long_lease) {
    take_result out;
    const take_request what{shard, lease};
    EXPECT_EQ(its.take(node, {&what, 1}, {&out, 1}), errc{});
    return out;
  }
  std::vector<change_status> apply(const std::vector<change>& what) {
    std::vector<change_status> out(what.size());
    EXPECT_EQ(its.apply(what, out), errc{});
    return out;
  }
  change_status put(record what, put_mode mode = put_mode::keep) {
    return apply({put_request{std::move(what), mode}}).front();
  }
  change_status end(const end_request& what) { return apply({what}).front(); }
  change_status cancel(shard_id shard, std::string key, std::uint64_t question = 1) {
    return apply({cancel_request{shard, std::move(key), question}}).front();
  }
  read_result read(const term_ref& term, stored_time upto, std::size_t limit = 1000, milliseconds lease = long_lease,
                   std::size_t bytes = SIZE_MAX) {
    read_result out;
    const read_request one{term, upto, limit, lease, bytes};
    EXPECT_EQ(its.read_on({&one, 1}, {&out, 1}), errc{});
    return out;
  }
  answer read_answer(shard_id shard, std::uint64_t question) {
    answer out{};
    const question_ref one{shard, question};
    EXPECT_EQ(its.read_answers({&one, 1}, {&out, 1}), errc{});
    return out;
  }
  void give_back(const term_ref& term) { EXPECT_EQ(its.give_back({&term, 1}), errc{}); }
  // All pieces, up to the limit.
  std::vector<listed_record> list(const list_request& which) {
    std::vector<listed_record> out;
    list_request rest = which;
    do {
      list_page page;
      rest.limit = which.limit - out.size();
      EXPECT_EQ(its.list(rest, page), errc{});
      EXPECT_LE(page.found.size(), rest.limit);
      std::ranges::move(page.found, std::back_inserter(out));
      rest.after = std::move(page.next);
    } while (!rest.after.empty() && out.size() < which.limit);
    return out;
  }
  std::optional<listed_record> find(shard_id shard, const std::string& key) {
    std::optional<listed_record> out;
    EXPECT_EQ(its.find({shard, key}, out), errc{});
    return out;
  }
  // The lease runs out while the node does not know it.
  void lapse(const term_ref& term) {
    read(term, stored_time::min(), 0, milliseconds(1));
    std::this_thread::sleep_for(milliseconds(5));
  }
};

inline end_request end_of(const term_ref& term, const record& ran, end_kind how = end_kind::erase) {
  end_request out;
  out.term = term;
  out.key = ran.key;
  out.id = ran.id;
  out.ran = ran.due;
  out.how = how;
  return out;
}

inline std::vector<std::string> keys_of(const std::vector<record>& records) {
  std::vector<std::string> out;
  for (const record& its : records) out.push_back(its.key);
  return out;
}

inline std::vector<std::string> keys_of(const std::vector<listed_record>& records) {
  std::vector<std::string> out;
  for (const listed_record& its : records) out.push_back(its.what.key);
  return out;
}

// Each in all that it has.
inline void expect_same(const std::vector<record>& expected, const std::vector<record>& its) {
  ASSERT_EQ(keys_of(expected), keys_of(its));
  const auto all = [](const record& of) {
    return std::tie(of.shard, of.id, of.due, of.attempt, of.handler, of.schedule, of.payload, of.by_rule);
  };
  for (std::size_t i = 0; i < its.size(); ++i)
    EXPECT_TRUE(all(expected[i]) == all(its[i])) << its[i].key << " id " << its[i].id << " for " << expected[i].id;
}

using keys = std::vector<std::string>;

}  // namespace durable_test
