// SPDX-License-Identifier: MIT
// The meaning of an error from Redis for the caller.
#pragma once

#include <string>
#include <string_view>

namespace detent::durable::redis {

enum class refusal : unsigned char {
  none,
  lost,           // no connection, or no answer in time
  busy,           // loading, in a slow script, without a quorum, unable to write its file: later it may answer
  no_memory,      // maxmemory is reached
  read_only,      // a replica: the master is elsewhere
  not_permitted,  // password, user, ACL
  no_script,      // scripts were flushed, or the server is a fresh one
  moved,          // another server of the cluster has the slot; the rest of the text says which
  ask,            // the same, for this one command
  foreign,        // the protocol's own: a newer format
  unsupported,    // the server is too old
  unexpected      // anything else: the text is all that is known
};

// `text` is an error as Redis sends it, without the leading minus. Redis 6.2 wraps what a script's command was refused
// with.
refusal classify(std::string_view text) noexcept;

// For people, of such an error of a newer format: the version that was found, the one that is known, and the cure.
std::string foreign_words(std::string_view refused);

// The failure of one call, for the code and for people.
struct trouble {
  refusal kind = refusal::none;
  std::string text = {};

  explicit operator bool() const noexcept { return kind != refusal::none; }
};

}  // namespace detent::durable::redis
