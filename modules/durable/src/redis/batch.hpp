// SPDX-License-Identifier: MIT
// A batch of the store's interface, as calls of scripts: one for each shard in it.
#pragma once

#include "arena.hpp"
#include "servers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace detent::durable::redis {

// The most timers that one call names: Redis serves no other client during it, and Lua passes on at most 8,000 words.
inline constexpr std::size_t most_in_a_call = 1000;

// The requests that go into one call: their places in the batch, in their order.
struct portion {
  std::uint64_t of;  // a shard; or shard and fence
  std::vector<std::size_t> places;
};

// Rounds of portions. In a round each shard has one at most, so that what is asked of a shard is carried out in its
// order even if a call has to be sent again.
template <class Request, class Of>
std::vector<std::vector<portion>> rounds_of(std::span<const Request> what, Of of) {
  std::vector<std::vector<portion>> rounds;
  std::vector<std::pair<std::uint64_t, std::size_t>> round_of;  // the last round of each, sorted
  for (std::size_t place = 0; place != what.size(); ++place) {
    const std::uint64_t its = of(what[place]);
    auto known = std::lower_bound(round_of.begin(), round_of.end(), std::pair(its, std::size_t{0}));
    if (known == round_of.end() || known->first != its) known = round_of.insert(known, {its, 0});
    for (;; ++known->second) {
      if (known->second == rounds.size()) rounds.emplace_back();
      auto& round = rounds[known->second];
      // The last portion is the one in most cases: requests of a shard come together.
      auto has = std::find_if(round.rbegin(), round.rend(), [&](const portion& one) { return one.of == its; });
      if (has == round.rend()) {
        round.push_back({its, {}});
        has = round.rbegin();
      }
      if (has->places.size() == most_in_a_call) continue;
      has->places.push_back(place);
      break;
    }
  }
  return rounds;
}

// Translates each letter of the answer into the result of its request.
template <class Status, class Of>
void read_letters(const redisReply& answer, const portion& its, std::span<Status> results, Of of) {
  const std::string_view letters = text_of(answer);
  for (std::size_t i = 0; i != its.places.size() && i != letters.size(); ++i) results[its.places[i]] = of(letters[i]);
}

inline const redisReply& element(const redisReply& of, std::size_t number) noexcept { return *of.element[number]; }

// A number, or the text of one. Nothing: what the store holds is damaged.
inline std::optional<std::uint64_t> number_in(const redisReply& from) noexcept {
  if (from.type == REDIS_REPLY_INTEGER) return static_cast<std::uint64_t>(from.integer);
  const std::string_view text = text_of(from);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The first thing that went wrong.
inline const trouble* first_failure(std::span<const call> calls) noexcept {
  const auto found = std::find_if(calls.begin(), calls.end(), [](const call& one) { return bool(one.failed); });
  return found == calls.end() ? nullptr : &found->failed;
}

}  // namespace detent::durable::redis
