// SPDX-License-Identifier: MIT
// One thread, one epoll, one caller-driven engine: sockets and timers take turns, and never meet.
#pragma once

#include "descriptor.hpp"

#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace net {

class connection;

class event_handler {
 public:
  virtual ~event_handler() = default;
  // `events` as of epoll_wait().
  virtual void on_events(std::uint32_t events) = 0;
};

class event_loop {
 public:
  // The engine is a caller-driven one, and outlives the loop.
  explicit event_loop(detent::engine& engine);

  detent::engine& engine() { return engine_; }

  // By level. Closing the descriptor ends it.
  void watch(int fd, event_handler& handler, std::uint32_t events);
  void change(int fd, event_handler& handler, std::uint32_t events);

  static constexpr int until_something_happens = -1, no_wait = 0;

  // Waits until something is ready or due; handles some of what is ready, fires what is due, sends what that wrote, and
  // destroys what was let go.
  void turn(int wait = until_something_happens);

  // For connections: has something to send at the end of the turn; is about to be destroyed.
  void flush_later(connection& writer) { writers_.push_back(&writer); }
  void forget(connection& writer);
  // Destroys it at the end of the turn, when no event and no callback can be about it any more.
  void let_go(std::unique_ptr<event_handler> handler) { gone_.push_back(std::move(handler)); }

 private:
  detent::engine& engine_;
  descriptor epoll_;
  std::vector<connection*> writers_;
  std::vector<std::unique_ptr<event_handler>> gone_;
};

}  // namespace net
