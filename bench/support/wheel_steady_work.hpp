// SPDX-License-Identifier: MIT
// The steady work of a single-threaded structure: each step cancels a timer, inserts it again, and moves time by 1 us.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "ordered_timers.hpp"
#include "random.hpp"
#include "scale.hpp"
#include "victim.hpp"

namespace detent::bench {

// Does nothing, so only the driver's own loop remains.
class no_structure {
 public:
  no_structure(std::size_t, std::size_t) {}
  void insert(timer_id id, nanoseconds deadline) {
    benchmark::DoNotOptimize(id);
    benchmark::DoNotOptimize(deadline);
  }
  void cancel(timer_id id) { benchmark::DoNotOptimize(id); }
  template <class Take>
  void expire(nanoseconds now, Take) {
    benchmark::DoNotOptimize(now);
  }
};

template <class Kind, victim Which>
void steady_work(benchmark::State& state) {
  constexpr nanoseconds step = 1'000;
  const auto live = static_cast<std::uint64_t>(state.range(0));
  // So long that a timer is almost always replaced before it is due, because cancelling is what timers are made for.
  const auto shortest = std::max<nanoseconds>(1'000'000'000, 20 * step * state.range(0));
  cheap_random random(1);
  nanoseconds now = 0;
  std::uint64_t expired = 0;
  auto deadline = [&] {
    return now + shortest + shortest / 4 * static_cast<nanoseconds>(random.below(8)) + random.next() % 1'000;
  };
  Kind timers(live, live);
  for (timer_id id = 0; id < live; ++id) timers.insert(id, deadline());
  timer_id oldest = 0;
  for (auto _ : state) {
    const auto id = Which == victim::any ? static_cast<timer_id>(random.below(live)) : oldest;
    if (++oldest == live) oldest = 0;
    timers.cancel(id);
    timers.insert(id, deadline());
    now += step;
    timers.expire(now, [&](timer_id due) {
      ++expired;
      timers.insert(due, deadline());
    });
  }
  state.counters["expired"] = static_cast<double>(expired);
}

template <class Kind>
void register_steady_work(const std::string& name,
                          std::initializer_list<std::int64_t> sizes = {1'000, 100'000, 1'000'000, 10'000'000}) {
  register_by_live(name + "/oldest", steady_work<Kind, victim::oldest>, sizes);
  register_by_live(name + "/any", steady_work<Kind, victim::any>, sizes);
}

}  // namespace detent::bench
