// SPDX-License-Identifier: MIT
// What does the wheel itself cost where timers are short-lived: cancel + insert + a tick of 1 us, by hand, without an
// engine or threads; the oldest of `live` timers, or any?
//
// Read: Time less driver_loop is the structure's. Beside the two wheels std::multimap and, where Boost is installed,
// the heap of Boost.Asio do the same work. `expired` should be 0. At random and in large numbers all are bound by cache
// misses: see floor_exchange_16_at_random.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/wheel_steady_work.hpp"

namespace {

using namespace detent::bench;

[[maybe_unused]] const bool registered = [] {
  register_by_live("floor_exchange_16_at_random", floor_exchange_16_at_random, {1'000, 100'000, 1'000'000, 10'000'000});
  register_steady_work<no_structure>("driver_loop");
  register_steady_work<hierarchical>("hierarchical");
  register_steady_work<hashed>("hashed");
  register_steady_work<multimap>("multimap", {1'000, 100'000, 1'000'000});
  return true;
}();

}  // namespace
