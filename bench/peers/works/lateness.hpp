// SPDX-License-Identifier: MIT
// The work `lateness`: a thread schedules at a steady rate, and each callback says how late it is.
#pragma once

#include <utility>
#include <vector>

#include "backend.hpp"
#include "lateness_answer.hpp"

namespace peers {

template <class Make>
answer run_lateness(Make make, const request& wanted) {
  using system_type = decltype(make(std::size_t{}));
  lateness_plan plan(wanted);

  tally fired(plan.count);
  fired.lateness_ns.reserve(plan.count);
  system_type system = make(plan.count);
  std::vector<typename system_type::slot> slots = system.slots(plan.count);
  typename system_type::producer producer(system);
  const stopwatch watch;
  std::int64_t next_ns = steady_ns();
  for (auto& slot : slots) {
    sleep_until_ns(next_ns += plan.between_ns);
    const nanoseconds delay = plan.ahead.next();
    const argument work{.run = record_lateness, .to = &fired, .deadline_ns = steady_ns() + delay.count()};
    if constexpr (takes_deadlines<system_type>) {
      producer.schedule_at(slot, work.deadline_ns, work);
    } else {
      producer.schedule_after(slot, delay, work);
    }
    producer.flush();
  }
  fired.done.wait();
  answer result = lateness_answer(fired.lateness_ns, watch);
  system.stop();
  return result;
}

}  // namespace peers
