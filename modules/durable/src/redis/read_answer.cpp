// SPDX-License-Identifier: MIT
#include "read_answer.hpp"

#include "batch.hpp"
#include "record_bytes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace detent::durable::redis {

namespace {

// The records among keys[i], bodies[i]. One that was erased between is nil.
void add_records(shard_id shard, const redisReply& found, const redisReply& bodies, std::vector<record>& out) {
  out.reserve(out.size() + bodies.elements);
  for (std::size_t i = 0; i != bodies.elements; ++i) {
    const redisReply& body = element(bodies, i);
    if (body.type != REDIS_REPLY_STRING) continue;
    out.push_back(unpack(shard, text_of(element(found, i)), text_of(body)));
  }
}

void add_announced(shard_id shard, const redisReply& from, read_result& out) {
  const redisReply& lines = element(from, 3);
  for (std::size_t i = 0; i != lines.elements; ++i) {
    const std::string_view line = text_of(element(lines, i));
    const std::string_view key = line.substr(std::min<std::size_t>(8, line.size()));
    out.announced_keys.push_back({std::string(key), read_number(line.substr(0, 8))});
    const redisReply& body = element(element(from, 4), i);
    const auto has_it = [&](const record& one) { return one.key == key; };
    if (body.type == REDIS_REPLY_STRING && std::none_of(out.announced_now.begin(), out.announced_now.end(), has_it))
      out.announced_now.push_back(unpack(shard, key, text_of(body)));
  }
}

}  // namespace

read_result result_of(shard_id shard, const redisReply& from) {
  read_result out;
  out.stands = true;
  out.upto = time_of(text_of(element(from, 0)));
  add_records(shard, element(from, 1), element(from, 2), out.due);
  std::sort(out.due.begin(), out.due.end(),
            [](const record& a, const record& b) { return std::pair(a.due, a.id) < std::pair(b.due, b.id); });
  add_announced(shard, from, out);
  return out;
}

}  // namespace detent::durable::redis
