// SPDX-License-Identifier: MIT
// epoll, a signalfd, and the descriptor of an engine that the loop polls.
#include "net/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace game {
namespace {

constexpr std::uint64_t signal_tag = UINT64_MAX, timer_tag = UINT64_MAX - 1;  // others: index of a reader

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

int open_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  check(sigprocmask(SIG_BLOCK, &ending, nullptr), "sigprocmask");
  return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

detent::engine_options driven_by_caller(detent::engine_options options) {
  options.drive = detent::drive_kind::caller;
  return options;
}

}  // namespace

owned_fd::owned_fd(int fd, const char* what) : fd_(fd) { check(fd, what); }
owned_fd::owned_fd(owned_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
owned_fd& owned_fd::operator=(owned_fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
owned_fd::~owned_fd() {
  if (fd_ >= 0) close(fd_);
}

event_loop::event_loop(detent::engine_options options)
    : timers_(driven_by_caller(std::move(options))),
      epoll_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"),
      signals_(open_signals(), "signalfd") {
  wait_for(signals_.get(), signal_tag);
  wait_for(timers_.wake_fd(), timer_tag);
}

void event_loop::watch(int fd, std::function<void()> on_readable) {
  readers_.push_back(std::move(on_readable));
  wait_for(fd, readers_.size() - 1);
}

void event_loop::run() {
  while (!stopped_) {
    std::array<epoll_event, 64> ready;
    const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
    if (count < 0 && errno == EINTR) continue;  // continued after a stop
    check(count, "epoll_wait");
    for (int i = 0; i < count && !stopped_; ++i) handle(ready[static_cast<std::size_t>(i)].data.u64);
  }
}

void event_loop::wait_for(int fd, std::uint64_t tag) {
  epoll_event interest{.events = EPOLLIN, .data = {.u64 = tag}};
  check(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &interest), "epoll_ctl");
}

void event_loop::handle(std::uint64_t tag) {
  if (tag == signal_tag) {
    stop();
  } else if (tag == timer_tag) {
    timers_.poll();  // fires what is due, and sets the descriptor to the next deadline
  } else {
    readers_[tag]();
  }
}

}  // namespace game
