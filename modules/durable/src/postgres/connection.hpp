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

// A statement with its parameters, which the caller keeps until it is sent.
struct query {
  statement what;
  const parameters* with = nullptr;
};

class connection {
 public:
  // Does not connect before the first open(). `settings` are statements that begin each session. Each call takes at
  // most `patience`.
  connection(std::string url, std::string settings, std::chrono::microseconds patience);

  // Does nothing if the connection is open. After a failure, further calls fail at once for a while, so that a dead
  // server does not take the caller's time.
  trouble open();
  void close() noexcept { its_.reset(); }
  bool is_open() const noexcept { return its_ != nullptr; }

  // Runs the statements in one pipeline, and so in one transaction unless one of them says otherwise. If one fails,
  // none of them has had an effect. `out` gets the rows of each. After refusal::lost it is not known whether they were
  // carried out.
  trouble run(std::span<const query> what, std::vector<rows>& out);
  trouble run(const query& what, rows& out);
  // Runs statements without parameters, as psql takes them: in one transaction, unless they say otherwise. `out` gets
  // the last rows, as text.
  trouble run_script(const std::string& text, rows* out = nullptr);
  trouble run_script(const std::string& text, rows& out) { return run_script(text, &out); }

  // These are for a listener. take_notices() calls `each` with the payload of each notice that the server has sent by
  // now. It returns false if the connection is lost.
  int descriptor() const noexcept { return PQsocket(its_.get()); }
  bool take_notices(const std::function<void(std::string_view)>& each);

  int server_version() const noexcept { return PQserverVersion(its_.get()); }
  // The server in one line for people, without the password.
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
  // Returns the next result, which is null at the end of a statement's results. If it returns nothing, `failed` says
  // why.
  std::optional<rows> next(clock::time_point until, trouble& failed);
  trouble send(std::span<const query> what);
  trouble receive(clock::time_point until, std::vector<rows>& out);
  trouble lose(std::string why);

  const std::string url_;
  const std::string settings_;
  const std::chrono::microseconds patience_;
  std::unique_ptr<PGconn, finish> its_;
  std::bitset<statements> prepared_;
  // For each result of the pipeline under way, the statement that it prepares.
  std::vector<std::optional<statement>> expected_;
  std::string why_;  // the reason of the last failure to connect
  refusal why_kind_ = refusal::lost;
  std::chrono::microseconds pause_{};  // after a failure; each one doubles it
  clock::time_point not_before_{};
};

}  // namespace detent::durable::postgres
