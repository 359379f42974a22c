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
  lost,           // no connection, or no answer in time: what was sent was carried out or not
  busy,           // nothing was done: a lock that another transaction holds, a full disk, a server that starts or ends
  locked,         // the same, and another transaction's lock is why
  not_permitted,  // password, role, right; a standby
  foreign,        // a newer format
  unsupported,    // the server is too old
  unexpected      // anything else: the text is all that is known
};

// The failure of one call, for the code and for people.
struct trouble {
  refusal kind = refusal::none;
  std::string text = {};

  explicit operator bool() const noexcept { return kind != refusal::none; }
};

// By the five characters of an SQLSTATE.
refusal classify(std::string_view state) noexcept;

errc code_of(refusal kind) noexcept;

// Of a result that is an error: the server's first line, and its hint.
trouble trouble_of(const PGresult* failed);

// Of a connection that failed. Verbose messages of it begin with the state.
trouble trouble_of(const PGconn* failed);

}  // namespace detent::durable::postgres
