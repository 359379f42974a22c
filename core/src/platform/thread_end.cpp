// SPDX-License-Identifier: MIT
#include "platform/thread_end.hpp"

#if defined(DETENT_HAS_THREAD_KEYS)
#include <pthread.h>

#include <type_traits>
#endif

namespace detent::detail {

#if defined(__MINGW32__)

// g++ for MinGW keeps thread-local variables in memory that is the value of a key. That memory is freed before
// thread-local objects are destroyed, so their destructors would see the variables' initial values. The values of keys
// are freed in the order in which the keys were made, so this key is made before the program first uses such a
// variable.
namespace {

struct first_key {
  pthread_key_t key = 0;
  bool is_made = pthread_key_create(&key, [](void* call) { reinterpret_cast<void (*)()>(call)(); }) == 0;
};
const first_key at_end;

}  // namespace

void at_thread_end(void (*call)()) {
  if (at_end.is_made) static_cast<void>(pthread_setspecific(at_end.key, reinterpret_cast<void*>(call)));
}

#else

void at_thread_end(void (*call)()) {
  struct at_end {
    void (*call)();
    ~at_end() { call(); }
  };
  thread_local at_end mine{call};
  static_cast<void>(&mine);
}

#endif

#if defined(DETENT_HAS_THREAD_KEYS)

static_assert(std::is_same_v<pthread_key_t, std::uint32_t>);

thread_end::thread_end(void (*free)(void*)) noexcept : is_made_(pthread_key_create(&key_, free) == 0) {}

void thread_end::set(void* value) const noexcept {
  if (is_made_) static_cast<void>(pthread_setspecific(key_, value));
}

#else

thread_end::thread_end(void (*free)(void*)) noexcept : free_(free) {}

void thread_end::set(void* value) const noexcept {
  struct held_value {
    void (*free)(void*) = nullptr;
    void* value = nullptr;
    ~held_value() {
      if (value != nullptr) free(value);
    }
  };
  thread_local held_value mine;
  mine.free = free_;
  mine.value = value;
}

#endif

}  // namespace detent::detail
