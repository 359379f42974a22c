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
  open,       // reads the number of shards and the format, and writes them if the store is new
  roll,       // says that a node lives, and reads which others do
  take,       // begins a term of a shard
  give_back,  // ends a term early
  read_on,    // renews terms, and reads what is due up to the new levels
  apply,      // changes timers
  answers,    // reads the owner's answers
  find,       // reads one timer, alive or dead
  by_key,     // reads the timers with one key, in any partition
  list,       // reads a piece of one shard's timers
  purge,      // erases a piece of one shard's dead timers
  look,       // counts what a shard has
  count_due,  // counts a shard's timers that are due
  deaths,     // reads when a dead timer died
  look_roll   // reads the roll without entering a node
};
inline constexpr std::size_t scripts = 15;

const std::string& text(script which) noexcept;

// Returns whether the script may change data.
bool writes(script which) noexcept;

// The first word of the error with which scripts refuse another format.
inline constexpr char foreign[] = "FOREIGN";

// The texts that scripts.cpp does not have itself.
extern const char apply_text[];
extern const char answers_text[];
extern const char find_text[];
extern const char by_key_text[];
extern const char walk_text[];
extern const char list_text[];
extern const char purge_text[];
extern const char look_text[];
extern const char count_due_text[];
extern const char deaths_text[];
extern const char look_roll_text[];

}  // namespace detent::durable::redis
