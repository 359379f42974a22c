// SPDX-License-Identifier: MIT
// The crew of docs/sharding.md: threads that drive the shards of a set, each the next that has something to do.
#pragma once

#include <detent/sharded_engine.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace detent::bench {

// `set` is driven by callers, and outlives this.
class crew {
 public:
  crew(sharded_engine& set, int threads) : set_(set) {
    for (engine& each : set_) {
      fds_.push_back(each.wake_fd());
      watch(EPOLL_CTL_ADD, fds_.back(), EPOLLIN | EPOLLONESHOT, fds_.size() - 1);
    }
    watch(EPOLL_CTL_ADD, end_, EPOLLIN, set_.size());
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    eventfd_write(end_, 1);
    for (std::thread& each : threads_) each.join();
    close(end_);
    close(ready_);
  }

 private:
  void watch(int operation, int fd, std::uint32_t events, std::uint64_t number) {
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.u64 = number;
    if (epoll_ctl(ready_, operation, fd, &wanted) != 0) throw std::runtime_error("epoll_ctl");
  }
  // One shard at a time: a second one would wait for the first one's callbacks.
  void work() {
    for (epoll_event next{};;) {
      if (epoll_wait(ready_, &next, 1, -1) != 1) continue;  // EINTR
      const std::uint64_t shard = next.data.u64;
      if (shard == set_.size()) return;
      set_[shard].poll();
      watch(EPOLL_CTL_MOD, fds_[shard], EPOLLIN | EPOLLONESHOT, shard);
    }
  }

  sharded_engine& set_;
  const int ready_ = epoll_create1(EPOLL_CLOEXEC);
  const int end_ = eventfd(0, EFD_CLOEXEC);
  std::vector<int> fds_;
  std::vector<std::thread> threads_;
};

}  // namespace detent::bench
