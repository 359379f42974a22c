// SPDX-License-Identifier: MIT
#include "record_bytes.hpp"

#include "../stores/listing.hpp"
#include "batch.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>

namespace detent::durable::redis {

namespace {

constexpr std::size_t id_at = 0, due_at = 8, attempt_at = 16, rule_at = 20, handler_size_at = 21, schedule_size_at = 22,
                      names_at = 24;
constexpr std::size_t head = handler_size_at;

void write_head(std::uint64_t id, stored_time due, std::uint32_t attempt, bool by_rule, char* to) noexcept {
  arena::write(to + id_at, id, 8);
  arena::write(to + due_at, static_cast<std::uint64_t>(score_of(due)), 8);
  arena::write(to + attempt_at, attempt, 4);
  arena::write(to + rule_at, by_rule ? 1 : 0, 1);
}

// The two lowest numbers stand for a level and a timer before all times.
stored_time time_of_score(std::int64_t value) noexcept {
  return value <= lowest + 1 ? stored_time::min() : stored_time(stored_time::duration(value));
}

}  // namespace

std::int64_t score_of(stored_time when) noexcept {
  return std::clamp<std::int64_t>(when.time_since_epoch().count(), lowest + 1, -lowest);
}

stored_time time_of(std::string_view score) noexcept {
  std::int64_t value = 0;
  std::from_chars(score.data(), score.data() + score.size(), value);
  return time_of_score(value);
}

std::string_view pack_head(std::uint64_t id, stored_time due, std::uint32_t attempt, bool by_rule, arena& in) {
  char* const to = in.room(head);
  write_head(id, due, attempt, by_rule, to);
  return {to, head};
}

std::string_view pack(const record& what, arena& in) {
  const std::size_t size = names_at + what.handler.size() + what.schedule.size() + what.payload.size();
  char* const body = in.room(size);
  write_head(what.id, what.due, what.attempt, what.by_rule, body);
  arena::write(body + handler_size_at, what.handler.size(), 1);
  arena::write(body + schedule_size_at, what.schedule.size(), 2);
  char* rest = std::copy(what.handler.begin(), what.handler.end(), body + names_at);
  rest = std::copy(what.schedule.begin(), what.schedule.end(), rest);
  if (!what.payload.empty()) std::memcpy(rest, what.payload.data(), what.payload.size());
  return {body, size};
}

record unpack(shard_id shard, std::string_view key, std::string_view body) {
  record what;
  what.shard = shard;
  what.key = key;
  std::string_view rest = body;
  if (body.size() >= names_at) {
    what.id = detail::number_of(body.substr(id_at, 8));
    what.due = time_of_score(static_cast<std::int64_t>(detail::number_of(body.substr(due_at, 8))));
    what.attempt = static_cast<std::uint32_t>(detail::number_of(body.substr(attempt_at, 4)));
    what.by_rule = body[rule_at] == 1;
    const std::size_t handler = detail::number_of(body.substr(handler_size_at, 1));
    const std::size_t schedule = detail::number_of(body.substr(schedule_size_at, 2));
    if (body.size() >= names_at + handler + schedule) {
      what.handler = body.substr(names_at, handler);
      what.schedule = body.substr(names_at + handler, schedule);
      rest = body.substr(names_at + handler + schedule);
    }
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(rest.data());
  what.payload.assign(bytes, bytes + rest.size());
  return what;
}

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

constexpr std::size_t most_announced = 5000;  // lines that the script of a reading answers with

// A line is a letter, 8 bytes of a number, and a key. `bodies` has those of the keys that were put.
void add_announced(shard_id shard, std::string_view level_key, const redisReply& from, read_result& out) {
  constexpr std::size_t key_at = 9;
  const redisReply& lines = element(from, 4);
  const redisReply& bodies = element(from, 5);
  std::set<std::string_view> seen;
  std::size_t puts = 0;
  out.has_all_announced = lines.elements < most_announced;
  for (std::size_t i = 0; i != lines.elements; ++i) {
    const std::string_view line = text_of(element(lines, i));
    const std::string_view key = line.substr(std::min(key_at, line.size()));
    const std::uint64_t number = line.empty() ? 0 : detail::number_of(line.substr(1, 8));
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
