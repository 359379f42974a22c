// SPDX-License-Identifier: MIT
#include "platform/thread_end.hpp"

namespace detent::detail {
namespace {

struct held_value {
  void (*free)(void*) = nullptr;
  void* value = nullptr;
  ~held_value() {
    if (value != nullptr) free(value);
  }
};

}  // namespace

thread_end::thread_end(void (*free)(void*)) noexcept : free_(free) {}

void thread_end::set(void* value) const noexcept {
  thread_local held_value mine;
  mine.free = free_;
  mine.value = value;
}

}  // namespace detent::detail
