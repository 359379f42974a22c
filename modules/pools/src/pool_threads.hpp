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
  const char* pool;  // the class, for errors
  std::size_t threads;
  std::size_t queue_capacity;
  std::vector<int> cpus;
  std::string name;
};

class pool_threads {
 public:
  // Throws error naming the option and the value.
  static void check(const pool_setup& setup);
  // Each runs `work` with its number. Throws error or bad_alloc; those that have been started must then be made to end,
  // and joined.
  void start(const pool_setup& setup, const std::function<void(std::size_t)>& work);
  std::size_t count() const noexcept { return threads_.size(); }
  // Waits for their ends; the calling thread, if it is one of them, is let go instead.
  void join();

 private:
  std::vector<std::thread> threads_;
};

}  // namespace detent::detail
