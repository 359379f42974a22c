// SPDX-License-Identifier: MIT
// The part of wheel_steady that needs Boost.
#include "asio_heap.hpp"
#include "wheel_steady_work.hpp"

namespace {

[[maybe_unused]] const bool registered = [] {
  detent::bench::register_steady_work<detent::bench::asio_heap>("asio_heap");
  return true;
}();

}  // namespace
