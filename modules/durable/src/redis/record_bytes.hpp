// SPDX-License-Identifier: MIT
// A timer as Redis has it: its due time in a sorted set, and the rest in one text, here called its body.
//
// 8 bytes id, 8 due time, 4 attempt, 1 whether its rule has set the time, 1 the length of the handler's name, 2 that of
// the schedule's, the two names, the payload. Numbers have their lowest byte first. The first four are its head here.
// The time is there again because a score must be turned into text, and that costs more than all the rest of a
// reading.
#pragma once

#include "arena.hpp"
#include "link.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::redis {

// The level of a shard of which nothing has been read; it is below every due time. Below it, a double is not exact.
inline constexpr std::int64_t lowest = -9'007'199'254'740'992;

// Convert between a due time, which is above `lowest`, and the number in a score.
std::int64_t score_of(stored_time when) noexcept;
stored_time time_of(std::string_view score) noexcept;

// Pack the head alone, and the whole record.
std::string_view pack_head(std::uint64_t id, stored_time due, std::uint32_t attempt, bool by_rule, arena& in);
std::string_view pack(const record& what, arena& in);
// A body that cannot be read is returned as a record without a handler, whose payload is the whole body. The timer
// stays in the store, is reported, and stops nothing else.
record unpack(shard_id shard, std::string_view key, std::string_view body);

// Reads the answer of the script read_on.
read_result result_of(shard_id shard, const redisReply& from);

}  // namespace detent::durable::redis
