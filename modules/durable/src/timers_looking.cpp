// SPDX-License-Identifier: MIT
// The timers: look-ups, and what is done with dead ones.
#include "node/node.hpp"

#include <detent/durable.hpp>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace detent::durable {
namespace {

constexpr std::size_t a_piece = 100;  // of changes; the thread that talks to the store works on between two pieces

listed shown(listed_record&& its) {
  const key_parts of = parts_of(its.what.key);
  listed out{std::string(of.key),
             std::string(of.partition),
             std::move(its.what.handler),
             std::move(its.what.schedule),
             std::move(its.what.payload),
             its.what.due,
             attempt_of(its.what, its.died.has_value()),
             its.what.shard,
             std::move(its.why)};
  if (its.died) out.died = *its.died;
  return out;
}

list_request request_of(const query& which) {
  if (which.handler.size() > handler_limit) detail::too_large("query::handler", which.handler.size(), handler_limit);
  if (which.key_prefix.size() > key_limit) detail::too_large("query::key_prefix", which.key_prefix.size(), key_limit);
  if (which.partition && which.partition->size() > partition_limit)
    detail::too_large("query::partition", which.partition->size(), partition_limit);
  list_request out;
  out.handler = which.handler;
  out.partition = which.partition;
  out.key_prefix = which.key_prefix;
  out.from = std::chrono::ceil<std::chrono::microseconds>(which.from);
  out.until = which.until == (wall_time::max)() ? stored_time::max()
                                                : std::chrono::ceil<std::chrono::microseconds>(which.until);
  out.dead = which.dead;
  return out;
}

query dead_of(const query& which) {
  query out = which;
  out.dead = true;
  return out;
}

// The shards that may have some. A partition as a whole is in one shard.
std::pair<shard_id, shard_id> shards_of(const query& which, shard_id count) {
  if (!which.partition || which.partition->empty()) return {shard_id{0}, count};
  const shard_id only = shard_of({}, *which.partition, count);
  return {only, static_cast<shard_id>(only + 1)};
}

// A place among all shards: the shard, and the store's own words, as hexadecimal digits.
std::string words_of(shard_id shard, std::string_view after) {
  constexpr char digits[] = "0123456789abcdef";
  std::string bytes{static_cast<char>(shard >> 8u), static_cast<char>(shard)};
  bytes += after;
  std::string out;
  for (const char byte : bytes) {
    out += digits[static_cast<unsigned char>(byte) >> 4u];
    out += digits[static_cast<unsigned char>(byte) & 15u];
  }
  return out;
}

std::pair<shard_id, std::string> place_of(std::string_view words, shard_id shards) {
  std::string bytes;
  bool is_one = words.size() % 2 == 0 && words.size() >= 4;
  for (std::size_t i = 0; is_one && i + 1 < words.size(); i += 2) {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(words.data() + i, words.data() + i + 2, value, 16);
    is_one = failed == std::errc() && end == words.data() + i + 2;
    bytes += static_cast<char>(value);
  }
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const unsigned shard = is_one ? byte(0) * 256u + byte(1) : shards;
  if (shard >= shards)
    throw error(detent::errc::invalid_option, "page: after = \"" + std::string(words.substr(0, 64)) +
                                                  "\": give what listed_page::next was, or nothing");
  return {static_cast<shard_id>(shard), bytes.substr(2)};
}

// Appends at most `limit` timers of a shard, beginning after `request.after`, and moves that on. It is empty once the
// shard has no more.
template <class Take>
void find_in_shard(detail::node& in, const char* what, list_request& request, std::size_t limit, Take&& take) {
  do {
    list_page found;
    request.limit = limit;
    in.look(what, [&](store_view& of) { return of.list(request, found); });
    limit -= found.found.size();
    for (listed_record& its : found.found) take(std::move(its));
    request.after = std::move(found.next);
  } while (limit != 0 && !request.after.empty());
}

std::vector<listed_record> list_all(detail::node& in, const char* what, const query& which) {
  std::vector<listed_record> out;
  list_request request = request_of(which);
  const auto [first, end] = shards_of(which, in.shards());
  for (shard_id shard = first; shard != end && which.limit != 0; ++shard) {
    request.shard = shard;
    request.after.clear();
    find_in_shard(in, what, request, which.limit, [&](listed_record&& its) { out.push_back(std::move(its)); });
  }
  std::ranges::stable_sort(out, {}, [](const listed_record& its) { return its.died.value_or(its.what.due); });
  if (out.size() > which.limit) out.resize(which.limit);
  return out;
}

std::optional<listed_record> find(detail::node& in, const char* what, const timer_name& which) {
  detail::check_name(which);
  const timer_ref named{shard_of(which.key, which.partition, in.shards()), stored_key(which.key, which.partition)};
  std::optional<listed_record> out;
  in.look(what, [&](store_view& of) { return of.find(named, out); });
  return out;
}

}  // namespace

std::optional<listed> timers::get(const timer_name& which) {
  std::optional<listed_record> found = find(*node_, "get", which);
  if (!found) return {};
  return shown(std::move(*found));
}

bool timers::exists(const timer_name& which) {
  const std::optional<listed_record> found = find(*node_, "exists", which);
  return found && !found->died;
}

std::vector<listed> timers::list(const query& which) {
  std::vector<listed_record> found = list_all(*node_, "list", which);
  std::vector<listed> out;
  out.reserve(found.size());
  for (listed_record& its : found) out.push_back(shown(std::move(its)));
  return out;
}

listed_page timers::page(const query& which, std::string_view after) {
  listed_page out;
  list_request request = request_of(which);
  const auto [first, end] = shards_of(which, node_->shards());
  request.shard = first;
  if (!after.empty()) std::tie(request.shard, request.after) = place_of(after, node_->shards());
  while (request.shard < end) {
    const std::size_t left = std::max<std::size_t>(which.limit, 1) - out.timers.size();
    if (left == 0) {
      out.next = words_of(request.shard, request.after);
      break;
    }
    find_in_shard(*node_, "page", request, left,
                  [&](listed_record&& its) { out.timers.push_back(shown(std::move(its))); });
    if (request.after.empty()) ++request.shard;
  }
  return out;
}

std::size_t timers::revive(const query& which) {
  std::vector<listed_record> found = list_all(*node_, "revive", dead_of(which));
  std::size_t revived = 0;
  for (std::size_t from = 0; from < found.size(); from += a_piece) {
    std::vector<change> again;
    for (std::size_t i = from; i != std::min(found.size(), from + a_piece); ++i) {
      record& its = found[i].what;
      its.id = node_->new_id();
      its.due = node_->clock().wall_now();
      its.payload.clear();  // it gets the payload that it had
      again.push_back(put_request{std::move(its), put_mode::revive});
    }
    std::vector<change_status> results(again.size());
    node_->ask("revive", [&](store& in) { return in.apply(again, results); });
    revived += static_cast<std::size_t>(std::ranges::count(results, change_status::stored));
  }
  return revived;
}

std::size_t timers::purge(const query& which) {
  std::size_t erased = 0;
  list_request request = request_of(dead_of(which));
  const auto [first, end] = shards_of(which, node_->shards());
  for (request.shard = first; request.shard != end; ++request.shard) {
    request.after.clear();
    do {
      request.limit = std::min(which.limit - erased, a_piece);
      if (request.limit == 0) return erased;
      purge_page out;
      node_->ask("purge", [&](store& in) { return in.purge(request, out); });
      erased += out.erased;
      request.after = std::move(out.next);
    } while (!request.after.empty());
  }
  return erased;
}

}  // namespace detent::durable
