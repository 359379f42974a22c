// SPDX-License-Identifier: MIT
#include "durable/timer_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "durable/timer_query.hpp"
#include "durable/timer_words.hpp"
#include "text/input_error.hpp"
#include "text/option_values.hpp"

namespace detent::tool {

using namespace durable;

namespace {

// FNV-1a. With a hash, a cursor need not contain a key of up to 257 bytes. No two timers of one instant and shard have
// the same hash.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash;
}

// Cuts off and returns the number before the next dot.
template <class Number>
bool take_number(std::string_view& text, Number& out, int base = 10) {
  const std::string_view digits = text.substr(0, text.find('.'));
  const char* const end = digits.data() + digits.size();
  const auto [stopped, trouble] = std::from_chars(digits.data(), end, out, base);
  text.remove_prefix(std::min(digits.size() + 1, text.size()));
  return trouble == std::errc() && stopped == end;
}

}  // namespace

walk_place place_in_walk(const listed_record& its) { return {place_of(its), its.what.shard, hash_of(its.what.key)}; }

std::string text_of(const walk_place& place) {
  return fmt::format("{}.{}.{:x}", place.at.time_since_epoch().count(), place.shard, place.name);
}

walk_place read_place(const std::string& option_text) {
  std::string_view rest = option_text;
  std::int64_t us = 0;
  walk_place out;
  if (!take_number(rest, us) || !take_number(rest, out.shard) || !take_number(rest, out.name, 16) || !rest.empty())
    throw usage_error(
        fmt::format("--after: {} is none of the words by which list said that more follow", in_quotes(option_text)));
  out.at = stored_time(std::chrono::microseconds(us));
  return out;
}

timer_walk::timer_walk(store& in, const list_request& which, std::size_t wanted, const std::optional<walk_place>& after)
    : in_(in), lanes_(in.shards()) {
  for (shard_id shard = 0; shard < in.shards(); ++shard) {
    lane& its = lanes_[shard];
    its.which = which;
    its.which.shard = shard;
    // All shards together look at little more than is wanted, because a timer may have 64 KiB.
    its.which.limit = std::clamp<std::size_t>(2 * wanted / in.shards(), 8, 500);
    if (after && after->at >= which.from) begin_after(its, *after);
    enter(shard);
  }
}

void timer_walk::begin_after(lane& its, const walk_place& place) {
  const shard_id shard = its.which.shard;
  its.which.from = place.at;
  if (shard < place.shard) {
    if (place.at == stored_time::max()) {
      its.ended = true;
    } else {
      its.which.from += std::chrono::microseconds(1);
    }
  }
  if (shard != place.shard) return;
  const lane begun = its;
  do {
    its.ahead.clear();
    fill(its);
    const auto same =
        std::ranges::find(its.ahead, place.name, [](const listed_record& each) { return hash_of(each.what.key); });
    if (same != its.ahead.end() && place_of(*same) == place.at) {
      its.ahead.erase(its.ahead.begin(), std::next(same));
      return;
    }
  } while (!its.ahead.empty() && place_of(its.ahead.back()) == place.at);
  its = begun;
}

// Reads until a timer is ahead or none follows.
void timer_walk::fill(lane& its) {
  while (its.ahead.empty() && !its.ended) {
    list_page page;
    check(in_.list(its.which, page), in_);
    std::ranges::move(page.found, std::back_inserter(its.ahead));
    its.which.after = std::move(page.next);
    its.ended = its.which.after.empty();
  }
}

void timer_walk::enter(shard_id shard) {
  lane& its = lanes_[shard];
  fill(its);
  if (!its.ahead.empty()) heads_.emplace(place_of(its.ahead.front()), shard);
}

std::optional<listed_record> timer_walk::next() {
  if (heads_.empty()) return {};
  const shard_id shard = heads_.extract(heads_.begin()).value().second;
  lane& its = lanes_[shard];
  listed_record out = std::move(its.ahead.front());
  its.ahead.pop_front();
  enter(shard);
  return out;
}

}  // namespace detent::tool
