// SPDX-License-Identifier: MIT
// The steps of the protocol, each a Lua script that Redis runs as a whole. docs/durable-redis.md has the keys and what
// they hold.
//
// KEYS of every script are in the order of `shard_keys`; a script reads as many as it names. Times are microseconds
// since 1970 by Redis' clock or by the caller's, as said; they are exact as Lua's doubles until the year 2255.
#pragma once

#include <cstddef>

namespace detent::durable::redis {

// The layout of what lies under the keys. A store of a higher one is refused, not guessed at.
inline constexpr int format = 1;

enum class script : unsigned char {
  open,       // the number of shards and the format, written if the store is new
  roll,       // a node says that it lives, and reads who else does
  take,       // begins a term of a shard
  give_back,  // ends a term early
  read_on,    // renews a term, and reads what is due up to a new read level
  put,        // stores timers, or moves them
  end,        // erases, moves or buries timers that have run
  cancel,     // erases timers that the owner has not read yet, and asks the owner about others
  answers,    // what the owner has answered
  revive,     // dead ones become due again
  list,       // a page of one shard's timers
  look        // what a shard has
};
inline constexpr std::size_t scripts = 12;

// Static storage, ended by a zero.
const char* text(script which) noexcept;

// Whether it may change anything.
bool writes(script which) noexcept;

// Scripts refuse with an error that has one of these as its first word.
inline constexpr char fenced[] = "FENCED";
inline constexpr char foreign[] = "FOREIGN";

}  // namespace detent::durable::redis
