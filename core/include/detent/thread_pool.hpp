// SPDX-License-Identifier: MIT
#pragma once

#include <detent/executor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace detent {

struct thread_pool_options {
  std::size_t threads = 1;
  std::size_t queue_capacity = 65536;  // waiting work; execute() refuses what is beyond it
  std::vector<int> cpus = {};          // thread i is pinned to cpus[i % size]; empty: not pinned
  std::string name = "detent-pool";    // the threads' name, cut to 15 characters
};

// A fixed set of threads that serve one queue. The destructor runs no more work: what waits is dropped, and counted by
// its engine; what runs is waited for.
class thread_pool final : public executor {
 public:
  // Throws errc::invalid_option naming the option, errc::not_permitted where a CPU cannot be had.
  explicit thread_pool(thread_pool_options = {});
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() override;

  // False when the queue is full.
  bool execute(fired_timer&& work) noexcept override;
  std::size_t execute_many(std::span<fired_timer> work) noexcept override;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace detent
