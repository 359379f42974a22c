// SPDX-License-Identifier: MIT
// The works `pair` and `pair_at`: what schedule and cancel cost, in wall time and in CPU of all threads.
#pragma once

#include <algorithm>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "../system.hpp"
#include "window.hpp"

namespace peers {

// `make` returns the system; its argument is the number of timers to expect.
template <bool by_deadline, class Make>
answer run_pair(Make make, const request& wanted) {
  using system_type = decltype(make(std::size_t{}));
  using window_type = window<system_type, by_deadline>;
  const std::uint64_t live = wanted.number("live", 100'000'000);
  const std::uint64_t producers = wanted.number("producers", 64);
  const std::chrono::milliseconds length = wanted.milliseconds("milliseconds");
  const std::uint64_t share = std::max<std::uint64_t>(live / producers, 1);

  tally fired;
  system_type system = make(share * producers);
  std::vector<typename system_type::slot> far = system.slots(1);
  std::vector<std::uint64_t> pairs(producers);
  std::int64_t end_ns = 0;  // written before the second phase of `step`, read after it
  std::barrier step(static_cast<std::ptrdiff_t>(producers) + 1);
  {
    typename system_type::producer producer(system);
    producer.schedule_after(far[0], std::chrono::hours(1), argument{.run = count_run, .to = &fired});
    producer.flush();
  }
  std::vector<std::unique_ptr<window_type>> windows(producers);
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 0; i < producers; ++i) {
    threads.emplace_back([&, i] {
      windows[i] = std::make_unique<window_type>(system, share, i, fired);
      windows[i]->run_until(steady_ns() + nanoseconds(length).count() / 4);  // reaches its stride
      step.arrive_and_wait();                                                // after filling
      step.arrive_and_wait();                                                // to begin
      pairs[i] = windows[i]->run_until(end_ns);
      step.arrive_and_wait();  // when done
      step.arrive_and_wait();  // after reading
      windows[i]->leave();
    });
  }
  step.arrive_and_wait();
  system.settle();
  const stopwatch watch;
  end_ns = steady_ns() + nanoseconds(length).count();
  step.arrive_and_wait();
  step.arrive_and_wait();
  system.settle();
  const std::int64_t wall_ns = watch.wall_ns(), cpu_ns = watch.cpu_ns();
  step.arrive_and_wait();
  threads.clear();
  system.stop();

  std::uint64_t all = 0;
  for (const std::uint64_t each : pairs) all += each;
  return {{"pairs", all}, {"wall_ns", wall_ns}, {"cpu_ns", cpu_ns}, {"fired", fired.ran}};
}

}  // namespace peers
