// SPDX-License-Identifier: MIT
// The work `fire`: what it costs to schedule timers and to run them all.
#pragma once

#include <vector>

#include "../common/delays.hpp"
#include "../common/process_readings.hpp"
#include "../system.hpp"
#include "backend.hpp"

namespace peers {

template <class Make>
answer run_fire(Make make, const request& wanted) {
  using system_type = decltype(make(std::size_t{}));
  const std::uint64_t timers = wanted.number("timers", 100'000'000);
  delays ahead(std::chrono::milliseconds(1), wanted.milliseconds("spread_ms"));

  tally fired(timers);
  const argument work{.run = count_run, .to = &fired};
  system_type system = make(timers);
  std::vector<typename system_type::slot> slots = system.slots(timers);
  typename system_type::producer producer(system);
  const stopwatch watch;
  for (auto& slot : slots) producer.schedule_after(slot, ahead.next(), work);
  producer.flush();
  fired.done.wait();
  const std::int64_t wall_ns = watch.wall_ns(), cpu_ns = watch.cpu_ns();
  system.stop();
  return {{"timers", fired.ran}, {"cpu_ns", cpu_ns}, {"wall_ns", wall_ns}};
}

}  // namespace peers
