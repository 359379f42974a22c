// SPDX-License-Identifier: MIT
// Functions that run, and values that are freed, when a thread ends.
#pragma once

#include <detent/base/platform/ground.hpp>

#include <cstdint>

namespace detent::detail {

// Calls `call` as the calling thread ends, while the library's thread-local variables are still there; among the
// thread-local objects of the thread, which are destroyed in the reverse order of their construction. Of several calls
// of a thread the first one counts.
void at_thread_end(void (*call)());

// One of static storage duration. The main thread's value stays until the process ends.
class thread_end {
 public:
  // `free` gets what the thread that ends has set. On Linux after all thread-local objects of that thread have been
  // destroyed, as the C library destroys the values of keys last; on the portable ground among them, in the order in
  // which they came, and with MinGW before them.
  explicit thread_end(void (*free)(void*)) noexcept;
  // Of the calling thread. Where the system has no key left, it is not freed.
  void set(void* value) const noexcept;

 private:
#if defined(DETENT_GROUND_LINUX) || defined(__MINGW32__)
  std::uint32_t key_ = 0;  // pthread_key_t
  bool is_made_ = false;
#else
  void (*const free_)(void*);
#endif
};

}  // namespace detent::detail
