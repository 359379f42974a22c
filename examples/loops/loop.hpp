// SPDX-License-Identifier: MIT
// One thread's loop: an epoll with its socket and its shard.
#pragma once

#include <detent/sharded_engine.hpp>

#include <atomic>
#include <cstddef>
#include <functional>

#include "udp_socket.hpp"

namespace loops {

class loop {
 public:
  // `on_letter` runs on the loop's thread, as all callbacks of the shard do.
  loop(detent::sharded_engine& set, std::size_t index, udp_socket socket, std::function<void(const letter&)> on_letter);
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  ~loop();

  // Until end() of any thread.
  void run();
  void end();
  const udp_socket& socket() const noexcept { return socket_; }

 private:
  void watch(int fd) const;

  detent::sharded_engine& set_;
  const std::size_t index_;
  udp_socket socket_;
  std::function<void(const letter&)> on_letter_;
  std::atomic<bool> ended_{false};
  int epoll_;
};

}  // namespace loops
