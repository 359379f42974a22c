// SPDX-License-Identifier: MIT
#include "record_bytes.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

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

}  // namespace

std::int64_t score_of(stored_time when) noexcept {
  return std::clamp<std::int64_t>(when.time_since_epoch().count(), lowest + 1, -lowest);
}

namespace {

// The two lowest numbers stand for a level and a timer before all times.
stored_time time_of_score(std::int64_t value) noexcept {
  return value <= lowest + 1 ? stored_time::min() : stored_time(stored_time::duration(value));
}

}  // namespace

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

std::uint64_t read_number(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- != 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
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
    what.id = read_number(body.substr(id_at, 8));
    what.due = time_of_score(static_cast<std::int64_t>(read_number(body.substr(due_at, 8))));
    what.attempt = static_cast<std::uint32_t>(read_number(body.substr(attempt_at, 4)));
    what.by_rule = body[rule_at] == 1;
    const std::size_t handler = read_number(body.substr(handler_size_at, 1));
    const std::size_t schedule = read_number(body.substr(schedule_size_at, 2));
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

}  // namespace detent::durable::redis
