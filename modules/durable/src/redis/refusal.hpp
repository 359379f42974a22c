// SPDX-License-Identifier: MIT
// The meaning of an error from Redis for the caller.
#pragma once

#include <string>
#include <string_view>

namespace detent::durable::redis {

enum class refusal : unsigned char {
  none,
  lost,           // no connection, or no answer in time
  busy,           // it loads, runs a slow script, lacks its quorum or cannot write its file; it may answer later
  no_memory,      // maxmemory is reached
  read_only,      // it is a replica; the master is elsewhere
  not_permitted,  // password, user, ACL
  no_script,      // scripts were flushed, or the server is new
  moved,          // another server of the cluster has the slot; the text says which
  ask,            // the same for this command only
  foreign,        // detent's own error: the store has a newer format
  unsupported,    // the server is too old
  unexpected      // anything else; only the text is known
};

// `text` is an error as Redis sends it, without the leading minus. Redis 6.2 wraps the error of a script's command.
refusal classify(std::string_view text) noexcept;

// Turns such an error of a newer format into words for people: the version that was found, the one that is known, and
// the cure.
std::string foreign_words(std::string_view refused);

// The failure of a call: a code for the program, and a text for people.
struct trouble {
  refusal kind = refusal::none;
  std::string text = {};

  explicit operator bool() const noexcept { return kind != refusal::none; }
};

}  // namespace detent::durable::redis
