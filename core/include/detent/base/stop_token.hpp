// SPDX-License-Identifier: MIT
// The standard library's stop tokens, if it has them (libc++ has them from version 20 on, and from 18 under
// -fexperimental-library). Only this header asks.
#pragma once

#include <version>

#if defined(__cpp_lib_jthread)
#include <stop_token>

namespace detent::base {

using stop_token = std::stop_token;
using stop_source = std::stop_source;
template <class F>
using stop_callback = std::stop_callback<F>;

}  // namespace detent::base

#else

namespace detent::base {

// Never requests a stop, because nothing makes one that can.
class stop_token {
 public:
  bool stop_possible() const noexcept { return false; }
  bool stop_requested() const noexcept { return false; }
};

class stop_source {
 public:
  stop_token get_token() const noexcept { return {}; }
  bool request_stop() noexcept { return false; }
};

template <class F>
class stop_callback {
 public:
  stop_callback(const stop_token&, F&&) noexcept {}
};

}  // namespace detent::base

#endif
