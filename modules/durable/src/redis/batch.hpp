// SPDX-License-Identifier: MIT
// A batch of the store's interface, as calls of scripts: one for each shard in it.
#pragma once

#include "servers.hpp"

#include <detent/durable_store.hpp>

#include <charconv>
#include <initializer_list>
#include <system_error>
#include <utility>

namespace detent::durable::redis {

// The most timers that one call names. Redis serves no other client during the call, and Lua passes on at most 8,000
// words.
inline constexpr std::size_t most_in_a_call = 1000;

// The requests that go into one call, as their places in the batch, in order.
struct portion {
  shard_id shard = 0;
  std::vector<std::size_t> places = {};
  std::size_t bytes = 0;
  std::uint64_t fence = 0;  // of the ends in it; 0 if it has none
  std::uint64_t turn = 0;   // this node's number for the call
};

// Divides a batch into rounds of portions. A round has at most one portion of each shard, so that a shard's requests
// are carried out in order even if a call must be sent again. `joins` adds a place to the portion, or returns false.
template <class ShardOf, class Joins>
std::vector<std::vector<portion>> rounds_of(std::size_t count, shard_id shards, ShardOf shard, Joins joins) {
  std::vector<std::vector<portion>> rounds;
  // By shard: its next round, and the place of its portion in the round before.
  std::vector<std::pair<std::size_t, std::size_t>> last(shards);
  for (std::size_t place = 0; place != count; ++place) {
    const shard_id its = shard(place);
    auto& [next, index] = last[its];
    if (next != 0) {
      portion& open = rounds[next - 1][index];
      if (open.places.size() != most_in_a_call && joins(open, place)) {
        open.places.push_back(place);
        continue;
      }
    }
    if (next == rounds.size()) rounds.emplace_back();
    index = rounds[next].size();
    portion& opened = rounds[next++].emplace_back(portion{its});
    joins(opened, place);
    opened.places.push_back(place);
  }
  return rounds;
}

// Calls of a script that takes several shards: a single call if one server has them all, and in a cluster one call for
// each shard.
class calls_of_shards {
 public:
  calls_of_shards(script what, bool is_cluster, std::size_t shards) : is_cluster_(is_cluster) {
    keys_.resize(is_cluster ? shards : 1);
    for (const std::vector<std::string>& its : keys_) calls_.push_back({what, its, {}});
  }
  // Adds the keys and words of the next shard.
  void add(std::span<const std::string> keys, std::initializer_list<std::string_view> words) {
    const std::size_t number = is_cluster_ ? added_ : 0;
    keys_[number].insert(keys_[number].end(), keys.begin(), keys.end());
    calls_[number].keys = keys_[number];
    calls_[number].words.insert(calls_[number].words.end(), words.begin(), words.end());
    ++added_;
  }
  std::span<call> all() noexcept { return calls_; }
  const call& of(std::size_t number) const noexcept { return calls_[is_cluster_ ? number : 0]; }
  // Returns null if the call has failed.
  const redisReply* answer_to(std::size_t number) const noexcept {
    const reply& its = of(number).answer;
    return its == nullptr ? nullptr : its->element[is_cluster_ ? 0 : number];
  }

 private:
  bool is_cluster_;
  std::size_t added_ = 0;
  std::vector<std::vector<std::string>> keys_;
  std::vector<call> calls_;
};

inline const redisReply& element(const redisReply& of, std::size_t number) noexcept { return *of.element[number]; }

// Reads a number, or the text of one. Returns nothing if the data in the store are damaged.
inline std::optional<std::uint64_t> number_in(const redisReply& from) noexcept {
  if (from.type == REDIS_REPLY_INTEGER) return static_cast<std::uint64_t>(from.integer);
  const std::string_view text = text_of(from);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace detent::durable::redis
