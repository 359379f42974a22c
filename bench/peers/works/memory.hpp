// SPDX-License-Identifier: MIT
// The work `memory`: what a pending timer with a 24-byte argument occupies. Wants a fresh process.
#pragma once

#include <vector>

#include "../common/delays.hpp"
#include "../common/process_readings.hpp"
#include "../system.hpp"
#include "backend.hpp"

namespace peers {

template <class Make>
answer run_memory(Make make, const request& wanted) {
  using system_type = decltype(make(std::size_t{}));
  const std::uint64_t timers = wanted.number("timers", 100'000'000);
  delays ahead(std::chrono::minutes(30), std::chrono::minutes(30));

  tally fired;
  const argument work{.run = count_run, .to = &fired};
  system_type system = make(0);
  typename system_type::producer producer(system);
  const double before = resident_bytes();
  // A handle that is not kept costs nothing, so one slot serves for all.
  auto slots = system.slots(system_type::slot_holds_timer ? timers : 1);
  for (std::uint64_t i = 0; i < timers; ++i) {
    producer.schedule_after(slots[system_type::slot_holds_timer ? i : 0], ahead.next(), work);
  }
  producer.flush();
  system.settle();
  const double bytes = (resident_bytes() - before) / static_cast<double>(timers);
  system.stop();
  return {{"timers", timers}, {"bytes", bytes}};
}

}  // namespace peers
