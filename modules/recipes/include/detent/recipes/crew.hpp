// SPDX-License-Identifier: MIT
// Threads that drive the shards of a caller-driven set; each drives the next shard that has something to do: the
// leader/followers pattern.
#pragma once

#include <detent/error.hpp>
#include <detent/sharded_engine.hpp>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace detent::recipes {

struct crew_options {
  // How many threads, 1 to 1,024. Use one more than callbacks may be stuck at a time, and no more than there are
  // shards. Default: 2.
  std::size_t threads = 2;
  // The threads' name, cut to 15 characters. Default: "detent-crew".
  std::string name = "detent-crew";
};

// A callback that is stuck keeps its thread and its shard; the other threads drive the other shards, whichever has
// something to do. A shard has one driver at a time, so the promise of of(key) holds: callbacks of a key never overlap,
// and run in the order of their deadlines. Each sees all that the one before wrote, though on any of the threads.
//
// Threads: any thread may make the set's calls, except poll(), next_deadline() and wake_fd(), which belong to the crew:
// a poll() elsewhere ends the program by an exception in a thread of the crew. Cost: three system calls a pass, with
// all that is due in the shard, and the lateness of the kernel, some 50 us; two descriptors, and one more for each
// shard; nothing while nothing is due. Errors: the constructor throws error with invalid_option for a number of
// threads, with wrong_drive if the shards have workers, and with limit_reached if there is no descriptor for a shard.
// It throws std::system_error if the kernel refuses a thread or a descriptor of the crew's. Lifetime: within the set's.
// The destructor waits for the callbacks that run, and must not be called by one. Pending timers stay, and another crew
// may go on with them. stop() of the set may come before or after it. On a manual clock nothing rings when the time is
// moved.
class crew {
 public:
  explicit crew(sharded_engine& set, const crew_options& options = {}) {
    if (options.threads == 0 || options.threads > sharded_engine::most_shards)
      throw error(errc::invalid_option, "crew: threads = " + std::to_string(options.threads) + ": must be 1 to " +
                                            std::to_string(sharded_engine::most_shards) +
                                            ", as many as a set has shards");
    deck_ = std::make_unique<deck>(set);
    deck_->start(options);
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  // The child of a fork has no such threads, and nothing to wait for.
  ~crew() {
    if (!deck_->is_mine()) static_cast<void>(deck_.release());
  }

 private:
  class descriptor {
   public:
    descriptor(int made, const char* by) : number_(made) {
      if (made < 0) throw std::system_error(errno, std::generic_category(), std::string("crew: ") + by);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { ::close(number_); }
    int number() const noexcept { return number_; }

   private:
    const int number_;
  };

  class deck {
   public:
    explicit deck(sharded_engine& set) : set_(set) {
      for (engine& each : set_) bells_.push_back(each.wake_fd());
      for (std::size_t shard = 0; shard != bells_.size(); ++shard) watch(EPOLL_CTL_ADD, bells_[shard], once, shard);
      watch(EPOLL_CTL_ADD, end_.number(), EPOLLIN, bells_.size());
    }
    deck(const deck&) = delete;
    deck& operator=(const deck&) = delete;
    ~deck() {
      ::eventfd_write(end_.number(), 1);
      for (std::thread& each : threads_) each.join();
    }

    void start(const crew_options& options) {
      for (std::size_t i = 0; i != options.threads; ++i) {
        threads_.emplace_back([this, name = options.name.substr(0, 15)] {
          ::pthread_setname_np(::pthread_self(), name.c_str());
          work();
        });
      }
    }
    bool is_mine() const noexcept { return ::getpid() == creator_; }

   private:
    // A descriptor that is ready is given to one thread, and to none until it is watched again. It is level-triggered,
    // so the next watch finds events that came in between.
    static constexpr std::uint32_t once = EPOLLIN | EPOLLONESHOT;

    void watch(int operation, int bell, std::uint32_t events, std::size_t number) {
      epoll_event wanted{};
      wanted.events = events;
      wanted.data.u64 = number;
      if (::epoll_ctl(ready_.number(), operation, bell, &wanted) != 0)
        throw std::system_error(errno, std::generic_category(), "crew: epoll_ctl");
    }
    // Returns the number of a shard, or of none at the end. Only one thread at a time may call it: a second would wait
    // for the first one's callbacks.
    std::size_t next() {
      epoll_event found{};
      while (::epoll_wait(ready_.number(), &found, 1, -1) != 1) {
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "crew: epoll_wait");
      }
      return static_cast<std::size_t>(found.data.u64);
    }
    void work() {
      for (std::size_t shard = 0; (shard = next()) != bells_.size();) {
        set_[shard].poll();
        // The descriptor of a stopped shard may be readable for ever.
        if (!set_[shard].stopped()) watch(EPOLL_CTL_MOD, bells_[shard], once, shard);
      }
    }

    sharded_engine& set_;
    const pid_t creator_ = ::getpid();
    const descriptor ready_{::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"};
    const descriptor end_{::eventfd(0, EFD_CLOEXEC), "eventfd"};
    std::vector<int> bells_;
    std::vector<std::thread> threads_;
  };

  std::unique_ptr<deck> deck_;
};

}  // namespace detent::recipes
