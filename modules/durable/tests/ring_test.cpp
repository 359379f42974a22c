// SPDX-License-Identifier: MIT
// The ring beside a database: what the next process learns from it, and when it believes nothing of it.
#include "../src/sqlite/ring.hpp"

#include "temporary_directory.hpp"

#include <detent/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace durable_test {
namespace {

using namespace detent::durable;
using detail::left_ring;
using detail::left_run;
using detail::ring;

constexpr std::uint64_t generation = 7777;

stored_time at(std::int64_t seconds) { return stored_time(std::chrono::seconds(1'000'000'000 + seconds)); }
record named(std::string key, std::uint64_t id) {
  return {.shard = 3, .key = std::move(key), .id = id, .due = at(5), .attempt = 2, .handler = "bill"};
}

class ARing : public testing::Test {
 protected:
  temporary_directory directory;
  const std::string path = directory.file("timers.ring");

  left_ring read(std::uint64_t of = generation) const { return ring::read(path, of); }
  static const left_run& find(const left_ring& in, std::string_view key) {
    static const left_run none;
    const auto found = std::ranges::find(in.runs, key, &left_run::key);
    EXPECT_NE(found, in.runs.end()) << key;
    return found == in.runs.end() ? none : *found;
  }

  std::string contents() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void make(const std::string& of) const { std::ofstream(path, std::ios::binary) << of; }
};

TEST_F(ARing, KnowsWhatRunsAndWhatHasEnded) {
  ring its(path, generation, true);
  its.begin(named("runs", 1));
  const auto ended = its.begin(named("ended", 2)), again = its.begin(named("again", 3)), stored = its.begin({});
  its.end(ended, {}, {});
  end_request move{.how = end_kind::move, .due = at(9), .attempt = 4, .why = "busy", .by_rule = true};
  move.payload = std::vector<std::byte>(5, std::byte{7});
  const std::vector<change> asked = {put_request{named("again", 5), put_mode::replace}, cancel_request{3, "again", 6}};
  its.end(again, move, asked);
  its.end(stored, {}, {});
  its.release({{stored}});

  const left_ring left = read();
  ASSERT_TRUE(left.is_known);
  EXPECT_TRUE(left.is_complete);
  EXPECT_EQ(left.runs.size(), 3u);
  const left_run& runs = find(left, "runs");
  EXPECT_EQ(runs.was, left_run::state::under_way);
  EXPECT_EQ(std::tuple(runs.shard, runs.id, runs.due, runs.attempt), std::tuple(shard_id{3}, 1u, at(5), 2u));
  EXPECT_EQ(find(left, "ended").was, left_run::state::ended);
  EXPECT_EQ(find(left, "ended").left.end.how, end_kind::erase);
  const end_request& end = find(left, "again").left.end;
  EXPECT_EQ(std::tuple(end.term.shard, end.key, end.id, end.ran), std::tuple(shard_id{3}, "again", 3u, at(5)));
  EXPECT_EQ(std::tuple(end.how, end.due, end.attempt, end.why, end.payload, end.by_rule),
            std::tuple(end_kind::move, at(9), 4u, "busy", move.payload, true));
  ASSERT_EQ(find(left, "again").left.asked.size(), 2u);
  const auto& put = std::get<put_request>(find(left, "again").left.asked[0]);
  EXPECT_EQ(std::tuple(put.what.id, put.what.key, put.mode), std::tuple(5u, "again", put_mode::replace));
  EXPECT_EQ(std::get<cancel_request>(find(left, "again").left.asked[1]).question, 6u);
}

TEST_F(ARing, SaysWhatHadNoRoom) {
  ring its(path, generation, true);
  end_request move{.how = end_kind::move};
  move.payload.emplace(2000);
  its.end(its.begin(named("large", 1)), move, {});
  EXPECT_EQ(find(read(), "large").was, left_run::state::ended_untold);
  EXPECT_TRUE(read().is_complete);

  its.release({{0}});
  its.make_room(100);
  std::vector<ring::place> places;
  for (std::uint64_t id = 1; id <= 101; ++id) places.push_back(its.begin(named("key " + std::to_string(id), id)));
  EXPECT_EQ(places.back(), ring::nowhere);
  EXPECT_EQ(read().runs.size(), 100u);
  EXPECT_FALSE(read().is_complete);
  its.release({{ring::nowhere}});
  EXPECT_TRUE(read().is_complete);
  EXPECT_FALSE(its.is_empty());
  places.pop_back();
  its.release(places);
  EXPECT_TRUE(its.is_empty());
  EXPECT_NE(its.begin(named("again", 1)), ring::nowhere);
}

TEST_F(ARing, IsOfOneGenerationOfTheDatabase) {
  EXPECT_FALSE(read().is_known) << "there is none";
  {
    ring its(path, generation, true);
    its.begin(named("runs", 1));
    EXPECT_FALSE(read(generation + 1).is_known);
    its.about_to_have(generation + 1);
    EXPECT_TRUE(read().is_known);
    EXPECT_TRUE(read(generation + 1).is_known);
    its.has(generation + 1);
    EXPECT_FALSE(read().is_known) << "a copy of the database that is older";
    EXPECT_TRUE(read(generation + 1).is_known);
  }
  const ring next(path, generation, true);
  EXPECT_TRUE(read().is_known);
  EXPECT_TRUE(read().runs.empty());
}

TEST_F(ARing, IsNotBelievedWhereAnyOfItIsDamaged) {
  {
    ring its(path, generation, true);
    its.begin(named("runs", 1));
    end_request kill{.how = end_kind::kill, .why = "for this reason"};
    its.end(its.begin(named("ended", 2)), kill, {});
  }
  const std::string whole = contents();
  ASSERT_TRUE(read().is_known);
  constexpr std::size_t first = 4096, second = first + 1024;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 48; ++i) places.push_back(i);                    // the header, up to the generations
  for (std::size_t i = 0; i < 34 + 4; ++i) places.push_back(first + i);        // a run that goes on, and its key
  for (std::size_t i = 0; i < 36 + 5 + 30; ++i) places.push_back(second + i);  // one that has ended, and its reason
  for (const std::size_t place : places) {
    if (place >= first + 32 && place < first + 36) continue;  // the size of what it has not left yet
    std::string damaged = whole;
    damaged[place] ^= static_cast<char>(place == first ? 2 : 0x10);  // there: as if it had ended, and left no word
    make(damaged);
    EXPECT_FALSE(read().is_known) << place;
    EXPECT_TRUE(read().runs.empty()) << place;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, first, second, whole.size() - 1}) {
    make(whole.substr(0, size));
    EXPECT_FALSE(read().is_known) << size;
  }
  make(std::string(whole.size(), 'x'));
  EXPECT_FALSE(read().is_known);
  make(whole);
  EXPECT_TRUE(read().is_known);
  make(std::string(100, 'x'));
  const ring over(path, generation, true);
  EXPECT_TRUE(read().is_known) << "one that was started over in its place";
}

// As it is after a power cut, or on another machine.
TEST_F(ARing, IsNotBelievedAfterTheMachineHasStartedAnew) {
  { const ring its(path, generation, true); }
  std::string file = contents();
  std::array<std::uint64_t, 6> head{};  // the last one sums up the others
  std::memcpy(head.data(), file.data(), sizeof head);
  const auto sum = [&head] {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      out = (out ^ head[i]) * 0x9e3779b97f4a7c15u;
      out ^= out >> 29;
    }
    return out;
  };
  ASSERT_EQ(head[5], sum());
  for (const std::uint64_t start : {head[3] + 1, std::uint64_t{0}}) {
    head[3] = start;
    head[5] = sum();
    std::memcpy(file.data(), head.data(), sizeof head);
    make(file);
    EXPECT_FALSE(read().is_known) << start;
  }
}

TEST_F(ARing, IsRefusedByItsNameWhereItCannotBeMade) {
  try {
    const ring its(directory.file("none/timers.ring"), generation, true);
    FAIL() << "it was made";
  } catch (const detent::error& problem) {
    EXPECT_NE(std::string(problem.what()).find("none/timers.ring"), std::string::npos) << problem.what();
  }
}

}  // namespace
}  // namespace durable_test
