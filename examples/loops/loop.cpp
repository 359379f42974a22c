// SPDX-License-Identifier: MIT
#include "loop.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace loops {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

constexpr int most_letters = 64;  // before timers have their turn again

}  // namespace

loop::loop(detent::sharded_engine& set, std::size_t index, udp_socket socket,
           std::function<void(const letter&)> on_letter)
    : set_(set),
      index_(index),
      socket_(std::move(socket)),
      on_letter_(std::move(on_letter)),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
  watch(socket_.fd());
  watch(set_[index_].wake_fd());
}

loop::~loop() { close(epoll_); }

void loop::watch(int fd) const {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = fd;
  checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted), "epoll_ctl");
}

void loop::run() {
  set_.bind_this_thread(index_);  // set_.local() is this loop's shard from here on
  std::array<epoll_event, 2> ready{};
  while (!ended_) {
    const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), -1);
    if (count < 0 && errno != EINTR) checked(-1, "epoll_wait");
    set_[index_].poll();
    for (int i = 0; i < most_letters; ++i) {
      const std::optional<letter> got = socket_.receive();
      if (!got) break;
      on_letter_(*got);
    }
  }
}

// A timer of its own shard wakes it, like any other thread's timer does.
void loop::end() {
  ended_ = true;
  static_cast<void>(set_[index_].try_schedule_after(std::chrono::seconds(0), [] {}));
}

}  // namespace loops
