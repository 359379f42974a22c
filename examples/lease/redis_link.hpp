// SPDX-License-Identifier: MIT
// A connection to redis inside a poll() loop: hiredis's asynchronous interface, with detent's timers for what takes too
// long.
#pragma once

#include <detent/engine.hpp>

#include <hiredis/async.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lease {

// One thread, that of the loop.
class redis_link {
 public:
  // Null: there will be no answer, and `why` says why not. An answer may be redis's refusal, REDIS_REPLY_ERROR.
  using answer = std::function<void(const redisReply*, std::string_view why)>;

  // `address` is the path of a socket, or HOST:PORT. A host's name is looked up at each connection, which blocks the
  // loop meanwhile: where that matters, let it be a number.
  redis_link(detent::engine& engine, std::string address);
  redis_link(const redis_link&) = delete;
  redis_link& operator=(const redis_link&) = delete;
  ~redis_link();

  // Connects if need be, and sends. `done` is called exactly once, by the loop. Without an answer after `patience` the
  // connection is given up, and with it all that waits for answers there.
  void send(const std::vector<std::string>& command, detent::duration patience, answer done);

  // The descriptor for the loop to poll; none while not connected.
  int descriptor() const noexcept { return connection_ != nullptr ? connection_->c.fd : -1; }
  short interest() const noexcept { return interest_; }
  void handle(short happened);

 private:
  struct request;

  bool connect();
  void give_up(std::string_view why);
  void hook();
  void want(short event, bool wanted) noexcept;

  detent::engine& engine_;
  const std::string address_;
  redisAsyncContext* connection_ = nullptr;  // hiredis frees it, and says so
  short interest_ = 0;
  std::string trouble_;  // why there is no connection
};

}  // namespace lease
