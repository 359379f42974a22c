// SPDX-License-Identifier: MIT
#include "event_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "connection.hpp"

namespace net {
namespace {

// So much of each in a turn: a flood on the sockets does not keep timers waiting, nor a flood of timers the sockets.
constexpr std::size_t events_a_turn = 64;
constexpr std::size_t callbacks_a_turn = 256;

}  // namespace

event_loop::event_loop(detent::engine& engine)
    : engine_(engine), epoll_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1") {
  epoll_event due{.events = EPOLLIN, .data = {.ptr = nullptr}};  // a level; nothing is read from it
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, engine_.wake_fd(), &due) != 0) throw_errno("epoll_ctl");
}

void event_loop::watch(int fd, event_handler& handler, std::uint32_t events) {
  epoll_event interest{.events = events, .data = {.ptr = &handler}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &interest) != 0) throw_errno("epoll_ctl");
}

void event_loop::change(int fd, event_handler& handler, std::uint32_t events) {
  epoll_event interest{.events = events, .data = {.ptr = &handler}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &interest) != 0) throw_errno("epoll_ctl");
}

void event_loop::turn(int wait) {
  std::array<epoll_event, events_a_turn> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), events_a_turn, wait);
  if (count < 0 && errno != EINTR) throw_errno("epoll_wait");
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) static_cast<event_handler*>(event.data.ptr)->on_events(event.events);
  }
  // In every turn, whether the engine's descriptor was among the 64 or not: a poll with nothing due is cheap.
  engine_.poll(callbacks_a_turn);

  // By index: a connection that cannot be written to is closed, and that may make others write.
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i]->flush();
  writers_.clear();
  gone_.clear();
}

void event_loop::forget(connection& writer) { std::erase(writers_, &writer); }

}  // namespace net
