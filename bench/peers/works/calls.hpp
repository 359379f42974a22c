// SPDX-License-Identifier: MIT
// The work `calls`: how long single calls take a producer, to the 99.99th percentile, beside a thread that fires.
#pragma once

#include <vector>

#include "../common/stamp.hpp"
#include "backend.hpp"
#include "calls_answer.hpp"

namespace peers {

// Takes a step each microsecond, so that no call waits for the one before. A step cancels a random timer and schedules
// it again and, if the system can do that, gives another one a new deadline.
template <class Make>
answer run_calls(Make make, const request& wanted) {
  using system_type = decltype(make(std::size_t{}));
  calls_plan plan(wanted);

  tally fired;
  const argument work{.run = count_run, .to = &fired};
  system_type system = make(plan.live);
  std::vector<typename system_type::slot> slots = system.slots(plan.live);
  typename system_type::producer producer(system);
  for (auto& slot : slots) producer.schedule_at(slot, steady_ns() + plan.ahead.next().count(), work);
  producer.flush();
  call_times cancels(plan.steps), schedules(plan.steps), restarts(plan.steps);
  const stopwatch watch;
  std::int64_t now_ns = steady_ns();
  for (std::uint64_t step = 0; step < plan.steps; ++step) {
    now_ns = wait_until_ns(now_ns + plan.between_ns);
    auto& slot = slots[plan.choose()];
    const std::int64_t deadline_ns = now_ns + plan.ahead.next().count();
    cancels.time([&] { producer.cancel(slot); });
    schedules.time([&] { producer.schedule_at(slot, deadline_ns, work); });
    if constexpr (restarts_timers<system_type>) {
      auto& other = slots[plan.choose()];
      restarts.time([&] { return producer.restart_at(other, deadline_ns); });
    }
  }
  answer result = calls_answer(watch, {{"schedule", schedules}, {"cancel", cancels}, {"restart", restarts}});
  producer.flush();
  system.stop();
  return result;
}

}  // namespace peers
