// SPDX-License-Identifier: MIT
// One thread, one epoll: the program's sockets, SIGTERM and SIGINT, and an engine without a thread of its own.
#pragma once

#include <detent/detent.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace game {

// A file descriptor, closed at the end.
class owned_fd {
 public:
  // Throws std::system_error that names `what`, if `fd` is the -1 of a call that failed.
  owned_fd(int fd, const char* what);
  owned_fd(owned_fd&& other) noexcept;
  owned_fd& operator=(owned_fd&& other) noexcept;
  ~owned_fd();
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class event_loop {
 public:
  // Blocks SIGTERM and SIGINT in this thread, and in those that it starts from now on.
  explicit event_loop(detent::engine_options options);

  detent::engine& timers() noexcept { return timers_; }
  // Has `on_readable` called whenever something can be read; until the loop's end.
  void watch(int fd, std::function<void()> on_readable);
  // Until stop(), or a signal that asks for the end.
  void run();
  void stop() noexcept { stopped_ = true; }

 private:
  void wait_for(int fd, std::uint64_t tag);
  void handle(std::uint64_t tag);

  detent::engine timers_;  // before the epoll that watches its descriptor: outlives it
  owned_fd epoll_;
  owned_fd signals_;
  std::vector<std::function<void()>> readers_;
  bool stopped_ = false;
};

}  // namespace game
