// SPDX-License-Identifier: MIT
// Frees what belongs to a thread when that ends.
#pragma once

#include <detent/base/platform/ground.hpp>

#include <cstdint>

namespace detent::detail {

// One of static storage duration. The main thread's value stays until the process ends.
class thread_end {
 public:
  // `free` gets what the thread that ends has set. On Linux after all thread-local objects of that thread have been
  // destroyed, as the C library destroys the values of keys last; on the portable ground among them, in the order in
  // which they came.
  explicit thread_end(void (*free)(void*)) noexcept;
  // Of the calling thread. Where the system has no key left, it is not freed.
  void set(void* value) const noexcept;

 private:
#if defined(DETENT_GROUND_LINUX)
  std::uint32_t key_ = 0;  // pthread_key_t
  bool is_made_ = false;
#else
  void (*const free_)(void*);
#endif
};

}  // namespace detent::detail
