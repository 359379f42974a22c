// SPDX-License-Identifier: MIT
// The language's coroutines, where the compiler has them; the only place that asks.
#pragma once

#if defined(__cpp_impl_coroutine) && __has_include(<coroutine>)
#include <coroutine>

namespace detent::base {

using coroutine_handle = std::coroutine_handle<>;

}  // namespace detent::base

#else

namespace detent::base {

// There is no way to make one that is not null.
class coroutine_handle {
 public:
  static coroutine_handle from_address(void*) noexcept { return {}; }
  void* address() const noexcept { return nullptr; }
  void resume() const noexcept {}
};

}  // namespace detent::base

#endif
