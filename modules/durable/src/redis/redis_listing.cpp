// SPDX-License-Identifier: MIT
// The store on Redis: look-ups, by the store's own connection and by others.
#include "../stores/listing.hpp"
#include "lookups.hpp"
#include "redis_store.hpp"

#include <array>
#include <utility>

namespace detent::durable::redis {
namespace {

constexpr std::uint64_t bytes_a_piece = std::uint64_t{1} << 20u;

// A grave is the length of the reason, the reason, and the body of the timer.
listed_record dead_one(shard_id shard, std::string_view key, std::string_view grave, std::string_view died) {
  const std::size_t length =
      grave.size() < 2 ? 0 : std::min<std::size_t>(detail::number_of(grave.substr(0, 2)), grave.size() - 2);
  const std::size_t begin = std::min<std::size_t>(2, grave.size());
  return {unpack(shard, key, grave.substr(begin + length)), std::string(grave.substr(begin, length)), time_of(died)};
}

std::string words_of(const redisReply& time, const redisReply& key) {
  if (text_of(key).empty()) return {};
  return detail::list_place{time_of(text_of(time)), std::string(text_of(key))}.words();
}

}  // namespace

errc lookups::find(const timer_ref& which, std::optional<listed_record>& out) {
  const std::array both = {key(which.shard, shard_key::body), key(which.shard, shard_key::dead),
                           key(which.shard, shard_key::grave)};
  call one{script::find, both, {which.key}};
  out.reset();
  if (const errc code = run(to_, {&one, 1}); code != errc{}) return code;
  if (one.answer == nullptr) return errc::unavailable;
  if (one.answer->elements == 1)
    out = listed_record{unpack(which.shard, which.key, text_of(element(*one.answer, 0)))};
  else if (one.answer->elements == 2)
    out = dead_one(which.shard, which.key, text_of(element(*one.answer, 0)), text_of(element(*one.answer, 1)));
  return errc{};
}

errc lookups::find_by_key(const key_request& which, std::vector<listed_record>& out) {
  std::optional<listed_record> bare;
  if (const errc code = find(which.name, bare); code != errc{}) return code;
  out.clear();
  if (bare && bare->died.has_value() == which.dead) out.push_back(*std::move(bare));
  const std::string_view key_of = parts_of(which.name.key).key;
  const std::string entry = static_cast<char>(key_of.size()) + std::string(key_of);
  arena in;
  const std::string_view limit = in.number(std::uint64_t{which.limit});
  calls_of_shards calls(script::by_key, to_.is_cluster(), keys_.size());
  for (shard_id shard = 0; shard != static_cast<shard_id>(keys_.size()); ++shard) {
    const std::array its = {key(shard, shard_key::names), key(shard, which.dead ? shard_key::grave : shard_key::body),
                            key(shard, shard_key::dead)};
    calls.add(its, {entry, limit, which.dead ? "1" : ""});
  }
  if (const errc code = run(to_, calls.all()); code != errc{}) return code;
  for (std::size_t shard = 0; shard != keys_.size(); ++shard) {
    const redisReply* const answer = calls.answer_to(shard);
    if (answer == nullptr) return errc::unavailable;
    for (std::size_t i = 0; i + 2 < answer->elements && out.size() < which.limit; i += 3) {
      const std::string_view name = text_of(element(*answer, i)), body = text_of(element(*answer, i + 1));
      if (which.dead)
        out.push_back(dead_one(static_cast<shard_id>(shard), name, body, text_of(element(*answer, i + 2))));
      else
        out.push_back({unpack(static_cast<shard_id>(shard), name, body)});
    }
  }
  return errc{};
}

errc lookups::walk(script what, const list_request& which, reply& out) {
  const shard_key set = which.dead ? shard_key::dead : which.recurring ? shard_key::recurring : shard_key::due;
  const std::array both = {key(which.shard, set), key(which.shard, which.dead ? shard_key::grave : shard_key::body),
                           key(which.shard, shard_key::names)};
  const detail::list_place last = detail::list_place::of(which.after);
  const bool goes_on = last.at >= which.from;
  // A filter may leave few timers, and it is fast to look at keys alone.
  const bool by_key = which.partition || !which.key_prefix.empty();
  const std::size_t found = std::min(which.limit, detail::timers_a_piece);
  const std::size_t most = !which.handler.empty() ? detail::timers_a_piece : by_key ? most_in_a_call : found;
  const std::string partition = which.partition ? "p" + *which.partition : "";
  arena in;
  call one{what,
           both,
           {in.number(score_of(goes_on ? last.at : which.from)), in.number(score_of(which.until)),
            goes_on ? std::string_view(last.tie) : std::string_view(), in.number(std::uint64_t{found}),
            in.number(std::uint64_t{most}), in.number(bytes_a_piece), which.dead ? "1" : "", which.recurring ? "1" : "",
            which.handler, partition, which.key_prefix}};
  if (const errc code = run(to_, {&one, 1}); code != errc{}) return code;
  if (one.answer == nullptr) return errc::unavailable;
  out = std::move(one.answer);
  return errc{};
}

errc lookups::list(const list_request& which, list_page& out) {
  out = {};
  reply answer;
  if (const errc code = walk(script::list, which, answer); code != errc{}) return code;
  const redisReply& keys = element(*answer, 2);
  const redisReply& times = element(*answer, 3);
  const redisReply& bodies = element(*answer, 4);
  out.next = words_of(element(*answer, 0), element(*answer, 1));
  for (std::size_t i = 0; i != keys.elements; ++i) {
    const std::string_view name = text_of(element(keys, i)), body = text_of(element(bodies, i));
    if (which.dead)
      out.found.push_back(dead_one(which.shard, name, body, text_of(element(times, i))));
    else
      out.found.push_back({unpack(which.shard, name, body)});
  }
  return errc{};
}

errc lookups::purge(const list_request& which, purge_page& out) {
  out = {};
  reply answer;
  list_request dead = which;
  dead.dead = true;
  if (const errc code = walk(script::purge, dead, answer); code != errc{}) return code;
  out.erased = number_in(element(*answer, 0)).value_or(0);
  out.next = words_of(element(*answer, 1), element(*answer, 2));
  return errc{};
}

errc lookups::look(std::span<shard_state> shards) {
  if (shards.empty()) return errc{};
  calls_of_shards calls(script::look, to_.is_cluster(), shards.size());
  for (std::size_t shard = 0; shard != shards.size(); ++shard) calls.add(std::span(keys_[shard]).first(5), {});
  if (const errc code = run(to_, calls.all()); code != errc{}) return code;
  for (std::size_t i = 0; i != shards.size(); ++i) {
    const redisReply* const answer = calls.answer_to(i);
    if (answer == nullptr) {
      shards[i] = {.shard = static_cast<shard_id>(i), .node = "?"};  // no node can take this shard now
      continue;
    }
    const redisReply& its = *answer;
    const auto fence = number_in(element(its, 0)), timers = number_in(element(its, 3)),
               dead = number_in(element(its, 4));
    if (!fence || !timers || !dead) return errc::corrupt;
    shards[i] = {static_cast<shard_id>(i),          *fence,  std::string(text_of(element(its, 1))),
                 time_of(text_of(element(its, 2))), *timers, *dead};
  }
  return errc{};
}

// Asks the same of each shard.
errc lookups::ask_each(shard_key of, std::string_view word, calls_of_shards& calls, std::size_t shards) {
  for (std::size_t shard = 0; shard != shards; ++shard) calls.add({&key(static_cast<shard_id>(shard), of), 1}, {word});
  return run(to_, calls.all());
}

errc lookups::count_due(stored_time by, std::span<std::uint64_t> shards) {
  if (shards.empty()) return errc{};
  calls_of_shards calls(script::count_due, to_.is_cluster(), shards.size());
  const std::string score = std::to_string(score_of(by));
  const errc code = ask_each(shard_key::due, score, calls, shards.size());
  for (std::size_t i = 0; code == errc{} && i != shards.size(); ++i) {
    const redisReply* const answer = calls.answer_to(i);
    shards[i] = answer == nullptr ? 0 : number_in(*answer).value_or(0);
  }
  return code;
}

errc lookups::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  if (shards.empty()) return errc{};
  calls_of_shards calls(script::deaths, to_.is_cluster(), shards.size());
  const std::string number = std::to_string(std::max<std::size_t>(nth, 1) - 1);
  const errc code = ask_each(shard_key::dead, number, calls, shards.size());
  for (std::size_t i = 0; code == errc{} && i != shards.size(); ++i) {
    const redisReply* const answer = calls.answer_to(i);
    const std::string_view score = answer == nullptr ? std::string_view() : text_of(*answer);
    shards[i] = score.empty() ? stored_time::max() : time_of(score);
  }
  return code;
}

errc redis_view::open() {
  if (is_open_) return errc{};
  if (const trouble why = to_.open()) return code_of(why.kind);
  is_open_ = true;
  return errc{};
}

}  // namespace detent::durable::redis
