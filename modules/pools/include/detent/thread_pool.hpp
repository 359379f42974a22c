// SPDX-License-Identifier: MIT
#pragma once

#include <detent/executor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace detent {

struct thread_pool_options {
  // How many threads, 1 to 65,536. Default: 1.
  std::size_t threads = 1;
  // How much work may wait, at least 1. execute() refuses more. Default: 65,536.
  std::size_t queue_capacity = 65536;
  // Thread i is pinned to cpus[i % size]. Default: empty, no thread is pinned.
  std::vector<int> cpus = {};
  // The threads' name, cut to 15 characters. Default: "detent-pool".
  std::string name = "detent-pool";
};

// A fixed set of threads that serve one queue without a lock. A hand-over waits neither for them nor for another
// engine, and makes a system call only if a thread of the pool sleeps. Work that one thread hands over is begun in that
// order. Memory for 16,384 timers (1 MB), or for queue_capacity if that is less, is allocated ahead. Beyond it, and at
// a thread's first hand-over, execute() allocates, and the pool keeps that memory to its end. The destructor runs no
// more work. It drops what waits, which its engine counts, and waits for what runs.
class thread_pool final : public executor {
 public:
  // Throws error, naming the option and the value: invalid_option, not_permitted if a CPU is denied, limit_reached if
  // there are too many threads for the user or the control group. Throws bad_alloc.
  explicit thread_pool(thread_pool_options = {});
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() override;

  // False when the queue is full, or if there is no memory for more. Any thread.
  bool execute(fired_timer&& work) noexcept override;
  std::size_t execute_many(std::span<fired_timer> work) noexcept override;
  // How much work waits, for all engines. Any thread.
  std::size_t queued() const noexcept;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace detent
