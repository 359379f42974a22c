// SPDX-License-Identifier: MIT
// What does the wheel itself cost where timers expire: a million inserted, then time moved over all of them, by hand;
// due uniformly within a second in steps of 1 us, or log-uniformly within 1 us to an hour in steps of 1 ms? What comes
// due in one step is taken in the order of deadlines by all, which the wheels do by sorting it.
//
// Read: Time is ns a timer, insert_ns and expire_ns its parts; empty steps are the driver_loop's. `hierarchical` keeps
// deadlines to the nanosecond, `hierarchical_1us` and `hashed` to a tick of 1 us. Beside the wheels std::multimap,
// std::priority_queue (which cannot cancel) and, where Boost is installed, the heap of Boost.Asio.
#include <benchmark/benchmark.h>

#include "support/wheel_expire_work.hpp"

namespace {

using namespace detent::bench;

[[maybe_unused]] const bool registered = [] {
  register_expiry<no_expiry>("driver_loop");
  register_expiry<hierarchical>("hierarchical");
  register_expiry<hierarchical_at<1'000>>("hierarchical_1us");
  register_expiry<hashed>("hashed");
  register_expiry<multimap>("multimap");
  register_expiry<priority_queue>("priority_queue");
  return true;
}();

}  // namespace
