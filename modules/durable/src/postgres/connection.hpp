// SPDX-License-Identifier: MIT
// One connection to the server: statements in a pipeline, which is one round trip, with a limit of time. One thread.
#pragma once

#include "statements.hpp"
#include "trouble.hpp"
#include "wire.hpp"

#include <libpq-fe.h>

#include <bitset>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace detent::durable::postgres {

// A statement with its parameters, which stay the caller's until it was sent.
struct query {
  statement what;
  const parameters* with = nullptr;
};

class connection {
 public:
  // Connects at the first open(). `settings` are statements that begin each session. Each call takes `patience` at
  // most.
  connection(std::string url, std::string settings, std::chrono::microseconds patience);

  // Nothing if it is open already. After a failure the next calls fail at once for a while, so that a dead server does
  // not take the caller's time.
  trouble open();
  void close() noexcept { its_.reset(); }
  bool is_open() const noexcept { return its_ != nullptr; }

  // Runs them in one pipeline, and so in one transaction unless one of them says otherwise; where one fails, none of
  // them has done anything. The rows of each one are in `out`. refusal::lost: they were carried out or not.
  trouble run(std::span<const query> what, std::vector<rows>& out);
  trouble run(const query& what, rows& out);
  // Statements without parameters, as psql takes them: one transaction, unless they say otherwise. The last rows, as
  // text.
  trouble run_script(const std::string& text, rows* out = nullptr);
  trouble run_script(const std::string& text, rows& out) { return run_script(text, &out); }

  // For who listens: what the server sent by now, each payload to `each`. False: the connection is lost.
  int descriptor() const noexcept { return PQsocket(its_.get()); }
  bool take_notices(const std::function<void(std::string_view)>& each);

  int server_version() const noexcept { return PQserverVersion(its_.get()); }
  // One line for people, without the password.
  std::string where() const;

 private:
  using clock = std::chrono::steady_clock;
  struct finish {
    void operator()(PGconn* done) const noexcept { PQfinish(done); }
  };

  trouble connect(clock::time_point until);
  trouble begin_session(clock::time_point until);
  bool wait(short events, clock::time_point until) const;
  trouble flush(clock::time_point until);
  // The next result; null: the end of one statement's. None: `failed` says why.
  std::optional<rows> next(clock::time_point until, trouble& failed);
  trouble send(std::span<const query> what);
  trouble receive(clock::time_point until, std::vector<rows>& out);
  trouble lose(std::string why);

  const std::string url_;
  const std::string settings_;
  const std::chrono::microseconds patience_;
  std::unique_ptr<PGconn, finish> its_;
  std::bitset<statements> prepared_;
  std::vector<std::optional<statement>> expected_;  // of the pipeline under way, by result: the one that it prepares
  std::string why_;                                 // of the last failure to connect
  refusal why_kind_ = refusal::lost;
  std::chrono::microseconds pause_{};  // after it; doubles with each
  clock::time_point not_before_{};
};

}  // namespace detent::durable::postgres
