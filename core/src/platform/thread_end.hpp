// SPDX-License-Identifier: MIT
// Functions that run, and values that are freed, when a thread ends.
#pragma once

#include <detent/base/platform/ground.hpp>

#include <cstdint>

#if defined(DETENT_GROUND_LINUX) || defined(__MINGW32__)
#define DETENT_HAS_THREAD_KEYS 1
#endif

namespace detent::detail {

// Calls `call` when the calling thread ends, while the library's thread-local variables still exist. It runs among the
// destructors of thread-local objects, which run in the reverse order of construction. If a thread calls it several
// times, the first call counts.
void at_thread_end(void (*call)());

// An object of static storage duration. The main thread's value stays until the process ends.
class thread_end {
 public:
  // `free` gets the value that the ending thread has set. On Linux this happens after all thread-local objects of that
  // thread were destroyed, because the C library destroys the values of keys last. On the portable platform it happens
  // among them, in the order of their arrival, and with MinGW before them.
  explicit thread_end(void (*free)(void*)) noexcept;
  // Sets the value of the calling thread. If the system has no key left, the value is not freed.
  void set(void* value) const noexcept;

 private:
#if defined(DETENT_HAS_THREAD_KEYS)
  std::uint32_t key_ = 0;  // a pthread_key_t
  bool is_made_ = false;
#else
  void (*const free_)(void*);
#endif
};

}  // namespace detent::detail
