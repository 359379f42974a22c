// SPDX-License-Identifier: MIT
#include <detent/thread_pool.hpp>

#include "api/pool_threads.hpp"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace detent {

// Shared with the threads: the pool may be destroyed by one of them, from a callback that held the last engine.
struct thread_pool::state {
  explicit state(std::size_t room) : capacity(room), creator(getpid()) {}

  void work();
  void close();

  const std::size_t capacity;
  const pid_t creator;
  std::mutex mutex;
  std::condition_variable not_empty;
  std::deque<fired_timer> queue;
  bool closed = false;
  detail::pool_threads threads;
};

void thread_pool::state::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    not_empty.wait(lock, [this] { return closed || !queue.empty(); });
    if (closed) return;
    fired_timer next = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
}

void thread_pool::state::close() {
  {
    std::lock_guard lock(mutex);
    closed = true;
  }
  not_empty.notify_all();
  threads.join();
}

thread_pool::thread_pool(thread_pool_options options) {
  const detail::pool_setup setup{.pool = "thread_pool",
                                 .threads = options.threads,
                                 .queue_capacity = options.queue_capacity,
                                 .cpus = std::move(options.cpus),
                                 .name = std::move(options.name)};
  detail::pool_threads::check(setup);
  state_ = std::make_shared<state>(options.queue_capacity);
  try {
    state_->threads.start(setup, [shared = state_](std::size_t) { shared->work(); });
  } catch (...) {
    state_->close();
    throw;
  }
}

thread_pool::~thread_pool() {
  if (getpid() != state_->creator) {
    // In the child of a fork: the threads do not exist, and one of them may hold the lock. Nothing can be taken apart.
    static_cast<void>(new (std::nothrow) std::shared_ptr<state>(state_));
    return;
  }
  state_->close();
  for (;;) {  // one by one: an empty deque would want memory
    std::optional<fired_timer> dropped;
    std::lock_guard lock(state_->mutex);
    if (state_->queue.empty()) return;
    dropped.emplace(std::move(state_->queue.front()));
    state_->queue.pop_front();
  }
}

bool thread_pool::execute(fired_timer&& work) noexcept {
  {
    std::lock_guard lock(state_->mutex);
    if (state_->queue.size() >= state_->capacity) return false;
    try {
      state_->queue.push_back(std::move(work));
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  state_->not_empty.notify_one();
  return true;
}

std::size_t thread_pool::execute_many(std::span<fired_timer> work) noexcept {
  std::size_t taken = 0;
  {
    std::lock_guard lock(state_->mutex);
    try {
      for (; taken < work.size() && state_->queue.size() < state_->capacity; ++taken)
        state_->queue.push_back(std::move(work[taken]));
    } catch (const std::bad_alloc&) {
      // What did not fit is refused.
    }
  }
  taken > 1 ? state_->not_empty.notify_all() : state_->not_empty.notify_one();
  return taken;
}

std::size_t thread_pool::queued() const noexcept {
  std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

}  // namespace detent
