// SPDX-License-Identifier: MIT
#include <detent/thread_pool.hpp>

#include <detent/error.hpp>

#include "platform/thread_setup.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

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
  std::vector<std::thread> threads;
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
  for (std::thread& each : threads) {
    if (!each.joinable()) continue;
    if (each.get_id() == std::this_thread::get_id()) {  // a thread of the pool cannot wait for itself
      each.detach();
    } else {
      each.join();
    }
  }
}

thread_pool::thread_pool(thread_pool_options options) {
  auto invalid = [](const std::string& what) {
    throw error(make_error_code(errc::invalid_option), "thread_pool: " + what);
  };
  if (options.threads == 0) invalid("threads = 0: must be at least 1");
  if (options.queue_capacity == 0) invalid("queue_capacity = 0: must be at least 1");
  for (int cpu : options.cpus) {
    if (cpu < 0 || cpu >= sysconf(_SC_NPROCESSORS_CONF)) invalid("cpus: " + std::to_string(cpu) + ": no such CPU");
  }
  state_ = std::make_shared<state>(options.queue_capacity);
  try {
    for (std::size_t i = 0; i < options.threads; ++i) {
      state_->threads.emplace_back([shared = state_, name = options.name] {
        detail::name_this_thread(name);
        shared->work();
      });
      if (options.cpus.empty()) continue;
      int cpu = options.cpus[i % options.cpus.size()];
      if (int failed = detail::pin_thread(state_->threads.back().native_handle(), cpu); failed != 0) {
        throw error(make_error_code(errc::not_permitted),
                    "thread_pool: cpus: " + std::to_string(cpu) + ": " + std::strerror(failed));
      }
    }
  } catch (const error&) {
    state_->close();
    throw;
  } catch (const std::bad_alloc&) {
    state_->close();
    throw;
  } catch (const std::system_error& failure) {
    state_->close();
    throw error(make_error_code(errc::not_permitted),
                "thread_pool: threads = " + std::to_string(options.threads) + ": " + failure.what());
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

}  // namespace detent
