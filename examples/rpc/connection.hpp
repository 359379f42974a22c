// SPDX-License-Identifier: MIT
// The client's side of a connection: any number of requests share it, and each is answered into a mailbox.
#pragma once

#include "frame_socket.hpp"
#include "mailbox.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace rpc {

struct connection_tally {
  std::uint64_t requests = 0;  // sent
  std::uint64_t cancels = 0;   // sent: nobody waits for the answer any more
  std::uint64_t late = 0;      // answers that nobody waited for
  std::uint64_t wrong = 0;     // answers that are not those of their requests

  void add(const connection_tally& other) {
    requests += other.requests;
    cancels += other.cancels;
    late += other.late;
    wrong += other.wrong;
  }
};

class connection {
 public:
  class request;

  // Connects; throws std::runtime_error.
  connection(asio::io_context& io, const tcp::endpoint& server);

  // Takes answers until the connection is lost. Called again, connects first; false: it could not.
  awaitable<bool> serve();
  // Says good-bye to the server. What was sent before still reaches it.
  void close();
  bool closed() const { return closed_; }
  bool connected() const { return socket_ != nullptr; }
  const connection_tally& tally() const { return tally_; }

 private:
  void use(tcp::socket connected);
  void take(const frame& answer);
  void lose_all();

  asio::io_context& io_;
  tcp::endpoint server_;
  std::shared_ptr<frame_socket> socket_;  // null: not connected
  std::unordered_map<std::uint64_t, request*> open_;
  std::uint64_t next_id_ = 0;
  bool closed_ = false;
  connection_tally tally_;
};

// One request on its way, and what its mailbox will get. Destroyed unanswered, it is cancelled at the server.
class connection::request {
 public:
  request(connection& over, std::uint32_t value, const mailbox& to, event answered, event lost);
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  ~request();

 private:
  friend class connection;

  connection& over_;
  const mailbox& to_;
  std::uint64_t id_;
  std::uint32_t value_;
  event answered_;
  event lost_;
  bool open_ = false;
};

}  // namespace rpc
