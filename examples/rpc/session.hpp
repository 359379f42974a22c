// SPDX-License-Identifier: MIT
// The server's side of one connection: each request is answered when its time has come, unless the client cancels it.
#pragma once

#include "answer_times.hpp"
#include "frame_socket.hpp"

#include <detent/detent.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace rpc {

// received = answered + dropped + cancelled + unanswered
struct server_tally {
  std::uint64_t received = 0;
  std::uint64_t answered = 0;
  std::uint64_t dropped = 0;
  std::uint64_t cancelled = 0;   // before they were answered
  std::uint64_t unanswered = 0;  // when their connection ended
};

// The engine's callbacks run on the thread that runs the socket's context.
class session {
 public:
  session(std::shared_ptr<frame_socket> socket, detent::engine& engine, answer_times& times, server_tally& tally)
      : socket_(std::move(socket)), times_(times), tally_(tally), answers_(engine) {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { tally_.unanswered += open_.size(); }

  // Until the client has gone.
  awaitable<void> serve();

 private:
  void take(const frame& request);
  void cancel(std::uint64_t id);
  void answer(std::uint64_t id, std::uint32_t value);

  std::shared_ptr<frame_socket> socket_;
  answer_times& times_;
  server_tally& tally_;
  std::unordered_map<std::uint64_t, detent::timer> open_;  // the answers that are due some time
  detent::timer_group answers_;                            // destroyed first: after that no callback comes
};

}  // namespace rpc
