// SPDX-License-Identifier: MIT
// How a timer ends in its handler's own transaction. A program needs it to bring a store of its own that lies in the
// database in which handlers write.
#pragma once

#include <detent/durable_store.hpp>

#include <optional>
#include <string>
#include <string_view>

struct pg_conn;  // libpq's connection, PGconn

namespace detent::durable {

// Implements job::token() and job::finish_in(). Each call may come from any thread, at the same time as others of this
// object and as all calls of the store. Calls throw bad_alloc only. A store with a journal must not have tokens: its
// next process would carry out ends that the program's transactions know nothing of.
class run_tokens {
 public:
  run_tokens() = default;
  run_tokens(const run_tokens&) = delete;
  run_tokens& operator=(const run_tokens&) = delete;
  virtual ~run_tokens() = default;

  // Names this version of the timer, by its partition, key, id and due time, and its end: it is erased, or goes to
  // `next` with attempt 1 and by rule. The text needs no quoting in SQL. Asks nothing of the store.
  virtual std::string token(const record& ran, std::optional<stored_time> next) = 0;

  // Ends the timer in the transaction that the connection is in. Waits for another transaction that has changed it.
  // When the transaction commits, the timer is erased and its successor takes its place, as by end_kind::erase; or it
  // goes to its next time, and the owner reads of that as if a put had moved it. When it rolls back, nothing was
  // changed. `finished` is false if the timer is not as the token has it; nothing is changed then. On any error, `why`
  // is one line with the message of the store or the connection, without passwords. unavailable: the connection does
  // not answer, or its transaction has failed; corrupt: this is no token.
  virtual errc finish_in(pg_conn* in, std::string_view token, bool& finished, std::string& why) = 0;
};

}  // namespace detent::durable
