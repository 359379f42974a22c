// SPDX-License-Identifier: MIT
// The meaning of an error from PostgreSQL for the caller.
#pragma once

#include <detent/durable_error.hpp>

#include <libpq-fe.h>

#include <string>
#include <string_view>

namespace detent::durable::postgres {

enum class refusal : unsigned char {
  none,
  lost,           // no connection or no answer in time; what was sent may have been carried out
  busy,           // nothing was done: another transaction's lock, a full disk, a server that starts or stops
  locked,         // like busy, and another transaction's lock is the reason
  not_permitted,  // a password, role or right is missing, or it is a standby
  foreign,        // the store has a newer format
  unsupported,    // the server is too old
  unexpected      // anything else; only the text is known
};

// The failure of a call: a code for the program, and a text for people.
struct trouble {
  refusal kind = refusal::none;
  std::string text = {};

  explicit operator bool() const noexcept { return kind != refusal::none; }
};

// Decides by the five characters of an SQLSTATE.
refusal classify(std::string_view state) noexcept;

errc code_of(refusal kind) noexcept;

// Describes a result that is an error by the server's first line and its hint.
trouble trouble_of(const PGresult* failed);

// Describes a connection that failed. Its verbose messages begin with the state.
trouble trouble_of(const PGconn* failed);

}  // namespace detent::durable::postgres
