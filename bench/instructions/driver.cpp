// SPDX-License-Identifier: MIT
// Counts poll() for each timer that it drains, frees or fires, all `live` of them in one call, and with nothing due.
#include "engine_timers.hpp"
#include "operations.hpp"

namespace detent::instructions {
namespace {

using namespace std::chrono_literals;

void count_poll_of_all(const char* name, engine& driven, std::size_t expected) {
  std::size_t fired = 0;
  count(name, no_loop, live, [&] { fired = driven.poll(); });
  require(fired == expected, name, "poll() ran another number of callbacks");
}

void count_poll_in_vain(engine& driven) {
  std::vector<std::size_t> results(live);
  count_each("poll_loop", no_loop, std::span(results), [](std::size_t) { return unknown<std::size_t>(); });
  count_each("poll_with_nothing_due", "poll_loop", std::span(results),
             [&driven](std::size_t) { return driven.poll(); });
  require(std::count(results.begin(), results.end(), 0u) == live, "poll_with_nothing_due", "something was due");
}

}  // namespace

void count_driver() {
  engine_timers warm;
  engine& driven = warm.engine();

  warm.schedule_all();
  count_poll_of_all("drain", driven, 0);
  count_poll_in_vain(driven);
  warm.cancel_all();
  count_poll_of_all("reap", driven, 0);

  warm.schedule_all();
  driven.poll();
  warm.time().advance_to(first_deadline + 1s);
  count_poll_of_all("fire", driven, live);
  require(warm.fired() == live, "fire", "not all have fired");
}

}  // namespace detent::instructions
