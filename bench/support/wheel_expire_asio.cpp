// SPDX-License-Identifier: MIT
// The part of wheel_expire that needs Boost.
#include "asio_heap.hpp"
#include "wheel_expire_work.hpp"

namespace {

[[maybe_unused]] const bool registered = [] {
  detent::bench::register_expiry<detent::bench::asio_heap>("asio_heap");
  return true;
}();

}  // namespace
