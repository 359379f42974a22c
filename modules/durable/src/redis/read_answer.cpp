// SPDX-License-Identifier: MIT
#include "read_answer.hpp"

#include "batch.hpp"
#include "record_bytes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace detent::durable::redis {

namespace {

// Appends the records of keys[i] and bodies[i]. The body of a timer that was erased in between is nil.
void add_records(shard_id shard, const redisReply& found, const redisReply& bodies, std::vector<record>& out) {
  out.reserve(out.size() + bodies.elements);
  for (std::size_t i = 0; i != bodies.elements; ++i) {
    const redisReply& body = element(bodies, i);
    if (body.type != REDIS_REPLY_STRING) continue;
    out.push_back(unpack(shard, text_of(element(found, i)), text_of(body)));
  }
}

// A line is a letter, 8 bytes of a number, and a key. `bodies` has those of the keys that were put.
void add_announced(shard_id shard, std::string_view level_key, const redisReply& from, read_result& out) {
  constexpr std::size_t key_at = 9;
  const redisReply& lines = element(from, 4);
  const redisReply& bodies = element(from, 5);
  std::set<std::string_view> seen;
  std::size_t puts = 0;
  for (std::size_t i = 0; i != lines.elements; ++i) {
    const std::string_view line = text_of(element(lines, i));
    const std::string_view key = line.substr(std::min(key_at, line.size()));
    const std::uint64_t number = line.empty() ? 0 : read_number(line.substr(1, 8));
    const char kind = line.empty() ? '?' : line.front();
    out.announced_keys.push_back({std::string(key), kind == 'q' ? number : 0, kind == 'k' ? number : 0});
    if (kind != 'p' || puts == bodies.elements) continue;
    const redisReply& body = element(bodies, puts++);
    if (body.type != REDIS_REPLY_STRING || !seen.insert(key).second) continue;
    record its = unpack(shard, key, text_of(body));
    if (its.due < out.upto || (its.due == out.upto && (out.whole || its.key <= level_key)))
      out.announced_now.push_back(std::move(its));
  }
}

}  // namespace

read_result result_of(shard_id shard, const redisReply& from) {
  read_result out;
  const std::string_view level_key = text_of(element(from, 1));
  out.stands = true;
  out.upto = time_of(text_of(element(from, 0)));
  out.whole = level_key.empty();
  add_records(shard, element(from, 2), element(from, 3), out.due);
  std::sort(out.due.begin(), out.due.end(),
            [](const record& a, const record& b) { return std::pair(a.due, a.id) < std::pair(b.due, b.id); });
  add_announced(shard, level_key, from, out);
  return out;
}

}  // namespace detent::durable::redis
