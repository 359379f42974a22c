// SPDX-License-Identifier: MIT
// The statements of the store, with the types of their parameters. A connection prepares each at its first use.
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <vector>

namespace detent::durable::postgres {

enum class statement : unsigned char {
  begin,
  commit,
  rollback,
  call_roll,
  take,
  give_back,
  lock_shards,
  hear,
  read_on,
  settle_successors,
  apply,
  last_turn,
  read_answers,
  look,
  late_shards,
  find,
  find_by_key,
  find_dead_by_key,
  list,
  list_recurring,
  list_dead,
  purge,
  count_due,
  deaths,
  look_at_roll
};
inline constexpr std::size_t statements = 25;

struct statement_text {
  const char* name;
  const char* sql;
  std::vector<Oid> types;
};

const statement_text& text_of(statement which) noexcept;

}  // namespace detent::durable::postgres
