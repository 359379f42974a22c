// SPDX-License-Identifier: MIT
// The language's coroutines, if the compiler has them. Only this header asks.
#pragma once

#if defined(__cpp_impl_coroutine) && __has_include(<coroutine>)
#include <coroutine>

namespace detent::base {

using coroutine_handle = std::coroutine_handle<>;

}  // namespace detent::base

#else

namespace detent::base {

// Always null, because nothing makes another one.
class coroutine_handle {
 public:
  static coroutine_handle from_address(void*) noexcept { return {}; }
  void* address() const noexcept { return nullptr; }
  void resume() const noexcept {}
};

}  // namespace detent::base

#endif
