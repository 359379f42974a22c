// SPDX-License-Identifier: MIT
// The steps of the protocol, each a Lua script that Redis runs as a whole. docs/durable-redis.md has the keys and what
// they hold.
//
// KEYS of every script are in the order of docs/durable-redis.md; a script reads as many as it names. Times are
// microseconds since 1970 by Redis' clock or by the caller's, as said; they are exact as Lua's doubles until the year
// 2255.
#pragma once

#include <cstddef>
#include <string>

namespace detent::durable::redis {

enum class script : unsigned char {
  open,       // the number of shards and the format, written if the store is new
  roll,       // a node says that it lives, and reads who else does
  take,       // begins a term of a shard
  give_back,  // ends a term early
  read_on,    // renews terms, and reads what is due up to new read levels
  apply,      // changes of timers
  answers,    // what the owner has answered
  find,       // one timer, alive or dead
  by_key,     // those of a key, in any partition
  list,       // a piece of one shard's timers
  purge,      // erases such a piece of the dead
  look,       // what a shard has
  count_due,  // how many timers of a shard are due
  deaths,     // when a dead one died
  look_roll   // the roll, without a node that enters it
};
inline constexpr std::size_t scripts = 15;

const std::string& text(script which) noexcept;

// Whether it may change anything.
bool writes(script which) noexcept;

// Scripts refuse with an error that has this as its first word.
inline constexpr char foreign[] = "FOREIGN";

}  // namespace detent::durable::redis
