// SPDX-License-Identifier: MIT
// What keeps clients from occupying a server: how many connections there are, and for how long.
#pragma once
#include <httplib.h>

#include <chrono>
#include <functional>
#include <map>
#include <semaphore>
#include <string>
#include <utility>

namespace detent::tool {

inline constexpr int most_connections = 16;

// The library's own pool, whose queue has no end, with a count of those that it may have accepted.
class connection_pool final : public httplib::ThreadPool {
 public:
  connection_pool() : ThreadPool(most_connections) {}

  // Waits until there is room: the thread that accepts waits, and further connections stay with the kernel.
  using enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));  // void, or bool from 0.16 on
  enqueued enqueue(std::function<void()> serve) override {
    free_.acquire();
    return ThreadPool::enqueue([this, serve = std::move(serve)] {
      serve();
      free_.release();
    });
  }

 private:
  std::counting_semaphore<most_connections> free_{most_connections};
};

// The library's time-outs are of each read: a client that sends a byte a second would stay for ever. This one looks
// for the connections among the process's descriptors.
class connection_sweep {
 public:
  explicit connection_sweep(int port) : port_(port) {}

  // Shuts down those that were there `age` ago. The thread that serves one sees its end, and closes it.
  void end_older_than(std::chrono::seconds age);

 private:
  using time_point = std::chrono::steady_clock::time_point;

  int port_;
  std::map<std::string, time_point> first_seen_;  // by descriptor and peer
};

}  // namespace detent::tool
