// SPDX-License-Identifier: MIT
// Bounds on the number of connections and on their time keep clients from occupying a server.
#pragma once
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "http/http_connection.hpp"
#include "http/listening_socket.hpp"

namespace detent::tool {

// One thread serves all connections. A connection whose request has not arrived costs a descriptor and its buffer of at
// most 8 KiB. There may be 256 connections; for each further one, the oldest is closed. So a client that asks at once
// is answered, no matter how many others do not ask. At most 16 answers go out at a time. While another one waits, the
// answer that has been going out longest, and for at least a second, is cut off.
class connection_loop {
 public:
  // `answer` gets a head of at most 8 KiB that ends with \r\n\r\n, or the beginning of a longer one without it. It
  // returns the whole answer; an empty one closes the connection.
  connection_loop(const listening_socket& at, std::function<std::string(const std::string&)> answer)
      : at_(at), answer_(std::move(answer)) {}

  // Runs until the descriptor `ending` becomes readable; answers under way then have one second. Throws input_error if
  // the socket fails.
  void run(int ending);

 private:
  using phase = http_connection::phase;
  using time_point = http_connection::time_point;

  std::size_t how_many(phase which) const;
  void wait(int ending);
  void accept_all();
  void pause();
  bool make_room();
  void go_on();
  bool end_slowest();
  void answer_all();
  void end_overdue(time_point now);

  const listening_socket& at_;
  std::function<std::string(const std::string&)> answer_;
  std::list<http_connection> connections_;  // oldest first
  time_point accepts_from_{};               // accepts no connection before, because there was no room
  std::vector<pollfd> polled_;              // `ending`, the socket, and the connections in order
};

}  // namespace detent::tool
