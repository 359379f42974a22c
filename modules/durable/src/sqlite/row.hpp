// SPDX-License-Identifier: MIT
#pragma once

#include "statement.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// A query for rows begins with these columns: key, id, due, attempt, by_rule, handler, schedule, payload.

inline stored_time due_of(const statement& row) noexcept {
  return stored_time(std::chrono::microseconds(row.number(2)));
}

// Reads a row into `to`, which must be a new record.
inline void read_record(const statement& row, shard_id shard, record& to) {
  const auto payload = row.bytes(7);
  to.shard = shard;
  to.key.assign(row.text(0));
  to.id = static_cast<std::uint64_t>(row.number(1));
  to.due = due_of(row);
  to.attempt = static_cast<std::uint32_t>(row.number(3));
  to.by_rule = row.number(4) != 0;
  to.handler.assign(row.text(5));
  to.schedule.assign(row.text(6));
  to.payload.assign(payload.begin(), payload.end());
}

inline record record_of(const statement& row, shard_id shard) {
  record its;
  read_record(row, shard, its);
  return its;
}

}  // namespace detent::durable::detail
