// SPDX-License-Identifier: MIT
// The part of the suite about readings that end amid an instant. A store may choose which ones of it come first.
#pragma once

#include "conformance_terms.hpp"

#include <algorithm>
#include <utility>

namespace durable_test {

// Reads to `upto` in pieces of at most `limit`, and returns each record as often as it has come out.
inline std::vector<record> read_in_pieces(asker on, const term_ref& term, stored_time upto, std::size_t limit) {
  std::vector<record> out;
  for (int round = 0; round < 100; ++round) {
    read_result its = on.read(term, upto, limit);
    EXPECT_LE(its.due.size(), limit);
    std::ranges::move(its.due, std::back_inserter(out));
    std::ranges::move(its.announced_now, std::back_inserter(out));
    if (its.upto == upto && its.whole) break;
  }
  return out;
}
inline keys sorted_keys_of(const std::vector<record>& records) {
  keys out = keys_of(records);
  std::ranges::sort(out);
  return out;
}

TYPED_TEST_P(StoreConformance, ALimitIsExactWithinAnInstantToo) {
  for (std::uint64_t i = 0; i < 10; ++i) this->on().put(timer("k" + std::to_string(i), 10 - i, at(i < 2 ? 1 : 2)));
  this->on().put(timer("later", 100, at(3)));
  const term_ref term = this->take();
  keys all;
  for (int piece = 0; piece < 2; ++piece) {
    const read_result read = this->on().read(term, at(10), 4);
    ASSERT_EQ(read.due.size(), 4u);
    EXPECT_EQ(read.upto, at(2));
    EXPECT_FALSE(read.whole);
    EXPECT_TRUE(std::ranges::is_sorted(read.due, {}, [](auto& its) { return std::pair(its.due, its.id); }));
    for (const record& its : read.due) all.push_back(its.key);
  }
  const read_result rest = this->on().read(term, at(10), 4);
  ASSERT_EQ(rest.due.size(), 3u);
  EXPECT_EQ(rest.due.back().key, "later");
  EXPECT_EQ(rest.upto, at(10));
  EXPECT_TRUE(rest.whole);
  for (const record& its : rest.due) all.push_back(its.key);
  std::ranges::sort(all);
  EXPECT_EQ(all, (keys{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "later"}));
}

TYPED_TEST_P(StoreConformance, ALimitOfBytesCutsBehindTheFirst) {
  for (std::uint64_t i = 0; i < 9; ++i) {
    record its = timer("k" + std::to_string(i), i + 1, at(i < 6 ? 2 : 3));
    its.payload.resize(100);
    this->on().put(its);
  }
  const term_ref term = this->take();
  keys all;
  for (const auto& [bytes, comes] : {std::pair(10u, 1u), {0u, 1u}, {250u, 2u}, {200u, 2u}, {199u, 1u}, {150u, 1u}}) {
    const read_result read = this->on().read(term, at(10), 1000, long_lease, bytes);
    ASSERT_EQ(read.due.size(), comes) << bytes;
    EXPECT_EQ(read.upto, read.due.back().due);
    for (const record& its : read.due) all.push_back(its.key);
  }
  for (const record& its : this->on().read(term, at(10)).due) all.push_back(its.key);
  std::ranges::sort(all);
  EXPECT_EQ(all, (keys{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"}));
}

TYPED_TEST_P(StoreConformance, ManyLargePayloadsComeInPiecesOfSoManyBytes) {
  constexpr std::size_t count = 700, large = 4'000, piece = 100'000;
  std::vector<change> puts;
  for (std::uint64_t i = 0; i < count; ++i) {
    record its = timer("k" + std::to_string(i), i + 1, at(static_cast<std::int64_t>(i * 7 % 10)));
    its.payload.resize(i % 2 != 0 ? large : i % 5);
    puts.push_back(put_request{its});
  }
  this->on().apply(puts);
  const term_ref term = this->take();
  std::size_t all = 0;
  for (stored_time level = stored_time::min(); level != at(10);) {
    const read_result read = this->on().read(term, at(10), 1'000'000, long_lease, piece);
    std::size_t bytes = 0;
    for (const record& its : read.due) bytes += its.payload.size();
    ASSERT_LE(bytes, piece);
    ASSERT_TRUE(bytes > piece - large || read.upto == at(10)) << "and no smaller than they must be: " << bytes;
    level = read.upto;
    all += read.due.size();
  }
  EXPECT_EQ(all, count);
}

TYPED_TEST_P(StoreConformance, WhatChangesWithinAnInstantThatIsReadInPartComesOnce) {
  for (std::uint64_t i = 0; i < 6; ++i) this->on().put(timer("k" + std::to_string(i), 100 + i, at(2)));
  const term_ref term = this->take();
  const std::vector<record> first = this->on().read(term, at(10), 3).due;
  ASSERT_EQ(first.size(), 3u);
  keys expected;
  for (std::uint64_t i = 0; i < 6; ++i) {
    for (const std::string name : {"a", "k3", "z"}) {
      expected.push_back(name + std::to_string(i));
      this->on().put(timer(expected.back(), i % 2 != 0 ? i + 1 : 200 + i, at(2)));
    }
    const std::string key = "k" + std::to_string(i);
    const bool was_read = std::ranges::count(first, key, &record::key) != 0;
    expected.push_back(key);
    EXPECT_EQ(this->on().put(timer(key, 300 + i, at(2)), i % 2 != 0 ? put_mode::replace : put_mode::move),
              i % 2 != 0 ? change_status::replaced : change_status::moved)
        << was_read;
  }
  const std::vector<record> all = read_in_pieces(this->on(), term, at(10), 2);
  std::ranges::sort(expected);
  EXPECT_EQ(sorted_keys_of(all), expected);
  for (const record& its : all) EXPECT_EQ(its.id >= 300, its.key.size() == 2 && its.key.front() == 'k') << its.key;
}

TYPED_TEST_P(StoreConformance, AnOwnerHearsOfWhatItMovesWithinSuchAnInstantAlone) {
  constexpr std::uint64_t count = 20;
  for (std::uint64_t i = 0; i < count; ++i) this->on().put(timer("k" + std::to_string(i), i + 1, at(i < 10 ? 1 : 3)));
  const term_ref term = this->take();
  const std::vector<record> first = this->on().read(term, at(10), 15).due;
  ASSERT_EQ(first.size(), 15u);
  std::vector<change> moves;
  keys expected;
  for (std::size_t i = 0; i < 10; ++i) {
    end_request move = end_of(term, first[i], end_kind::move);
    move.due = at(i < 5 ? 2 : 3);
    move.attempt = 2;
    moves.push_back(move);
    if (i >= 5) expected.push_back(move.key);
  }
  for (const change_status its : this->on().apply(moves)) EXPECT_EQ(its, change_status::ended);
  for (std::uint64_t i = 10; i < count; ++i)
    if (const std::string key = "k" + std::to_string(i); std::ranges::count(first, key, &record::key) == 0)
      expected.push_back(key);
  std::ranges::sort(expected);
  EXPECT_EQ(sorted_keys_of(read_in_pieces(this->on(), term, at(10), 4)), expected);
  for (const change_status its : this->on().apply(moves)) EXPECT_EQ(its, change_status::ended) << "sent again";
  EXPECT_TRUE(this->on().read(term, at(10)).announced_keys.empty());
}

}  // namespace durable_test
