// SPDX-License-Identifier: MIT
// The threads that every pool has: they have a name, may be pinned, and one of them may be the pool's end.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace detent::detail {

struct pool_setup {
  const char* pool;  // the name of the class, for errors
  std::size_t threads;
  std::size_t queue_capacity;
  std::vector<int> cpus;
  std::string name;
};

class pool_threads {
 public:
  // Throws error that names the option and the value.
  static void check(const pool_setup& setup);
  // Each thread runs `work` with its number. If it throws error or bad_alloc, the threads that were started must be
  // made to end, and joined.
  void start(const pool_setup& setup, const std::function<void(std::size_t)>& work);
  std::size_t count() const noexcept { return threads_.size(); }
  // Waits for the threads to end. If the calling thread is one of them, it is detached instead.
  void join();

 private:
  std::vector<std::thread> threads_;
};

}  // namespace detent::detail
