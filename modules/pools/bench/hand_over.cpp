// SPDX-License-Identifier: MIT
// How long does handing a timer over to a pool of threads hold up the engine's worker, and what does the whole cost?
// detent's pools, a queue with a mutex and a condition variable, and Boost.Asio's thread_pool where Boost is installed.
//
// one_by_one: a timer each 20 us. together: 64 of one instant. Read: p50_ns and p99_ns, of the call on the worker for a
// timer; cpu_ns, of the whole process for a timer. The worker and the pool sleep between two instants, so that one by
// one each call wakes a thread: most of it is that system call.
#include <detent/detent.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/hand_over.hpp"

namespace {

// The pool that a program would write itself: a queue with a lock, which the threads and the worker take in turn.
class locked_pool final : public detent::executor {
 public:
  explicit locked_pool(std::size_t threads) {
    while (threads-- != 0) threads_.emplace_back([this] { work(); });
  }
  locked_pool(const locked_pool&) = delete;
  locked_pool& operator=(const locked_pool&) = delete;
  ~locked_pool() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_empty_.notify_all();
    for (std::thread& each : threads_) each.join();
  }
  bool execute(detent::fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<detent::fired_timer> work) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      for (detent::fired_timer& each : work) queue_.push_back(std::move(each));
    }
    work.size() == 1 ? not_empty_.notify_one() : not_empty_.notify_all();
    return work.size();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      not_empty_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (closed_) return;
      detent::fired_timer next = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<detent::fired_timer> queue_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

const bool added = [] {
  detent::bench::add_hand_over("thread_pool", [](std::size_t threads) {
    return std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = threads});
  });
  detent::bench::add_hand_over("keyed_pool", [](std::size_t threads) {
    return std::make_shared<detent::keyed_pool>(detent::keyed_pool_options{.threads = threads});
  });
  detent::bench::add_hand_over("mutex_queue",
                               [](std::size_t threads) { return std::make_shared<locked_pool>(threads); });
  return true;
}();

}  // namespace
