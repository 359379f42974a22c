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

// One thread for all connections. A connection whose request has not come costs a descriptor and what has come of it,
// 8 KiB at most; there may be 256, and for each further one that which has been there longest goes. So a client that
// asks at once is answered however many do not ask. At most 16 answers are going out at a time;
// while a further one waits, the one that has been going out for the longest time, and for a second, is cut off.
class connection_loop {
 public:
  // `answer` gets a head of at most 8 KiB, with \r\n\r\n at its end, or what came of a longer one, without; returns all
  // of the answer, or nothing, which closes the connection.
  connection_loop(const listening_socket& at, std::function<std::string(const std::string&)> answer)
      : at_(at), answer_(std::move(answer)) {}

  // Until `ending`, a descriptor, can be read; then answers that are going out have 1 s. Throws input_error where the
  // socket fails.
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
  std::list<http_connection> connections_;  // the oldest first
  time_point accepts_from_{};               // no connection is accepted before it, as there was no room
  std::vector<pollfd> polled_;              // the ending, the socket, the connections in their order
};

}  // namespace detent::tool
