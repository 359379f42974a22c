// SPDX-License-Identifier: MIT
// The errors of durable timers and their stores.
#pragma once

#include <detent/error.hpp>

#include <system_error>

namespace detent::durable {

enum class errc {
  unavailable = 1,  // the store does not answer, or its disk is full; the operation may have been done or not
  outbox_full,      // as many operations wait for the store as options::outbox allows; the new one is dropped
  exists,           // on_conflict::fail, and the key names a timer
  too_large,        // a key of more than 128 bytes, a handler's name of more than 64, a payload of more than 64 KiB
  unknown_handler,  // this node has no handler, or no schedule, of that name
  fenced,           // the node's term with the shard is over
  foreign_format,   // a version of another format has written the store
  in_use,           // another process has the file
  not_permitted,    // the store denies it: a wrong password, a read-only replica, a policy that evicts
  unsupported,      // the store's server is too old, or the store is of another kind
  corrupt,          // the contents of the store cannot be read
  gone,             // restart_at(): no timer has that name any more
  stopped           // the timers ended before the store had it
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(errc) noexcept;

}  // namespace detent::durable

template <>
struct std::is_error_code_enum<detent::durable::errc> : std::true_type {};
