// SPDX-License-Identifier: MIT
#include "platform/thread_end.hpp"

#include <pthread.h>

#include <type_traits>

namespace detent::detail {

static_assert(std::is_same_v<pthread_key_t, std::uint32_t>);

void at_thread_end(void (*call)()) {
  struct at_end {
    void (*call)();
    ~at_end() { call(); }
  };
  thread_local at_end mine{call};
  static_cast<void>(&mine);
}

thread_end::thread_end(void (*free)(void*)) noexcept : is_made_(pthread_key_create(&key_, free) == 0) {}

void thread_end::set(void* value) const noexcept {
  if (is_made_) static_cast<void>(pthread_setspecific(key_, value));
}

}  // namespace detent::detail
