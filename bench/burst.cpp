// SPDX-License-Identifier: MIT
// How soon does the first of a burst run, and how late the last? Timers that are all due at one instant, scheduled well
// ahead of it, by default options; the callback counts, and the first and the last read the clock.
//
// Read: first_us and last_us after the deadline, medians of several bursts. Both begin with the lateness of one timer
// alone; the last is bounded by what it takes to run as many callbacks.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <vector>

#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

struct moments {
  std::int64_t first_ns, last_ns;  // after the deadline
};

// Written by the callbacks, on the worker, until `done` is set.
class burst_watch {
 public:
  burst_watch(detent::time_point deadline, std::int64_t count) : deadline_(deadline), count_(count) {}
  void note() {
    if (ran_++ == 0) seen_.first_ns = late();
    if (ran_ != count_) return;
    seen_.last_ns = late();
    done_.set_value();
  }
  moments wait() {
    done_.get_future().wait();
    return seen_;
  }

 private:
  std::int64_t late() const { return (detent::clock::now() - deadline_).count(); }

  detent::time_point deadline_;
  std::int64_t count_, ran_ = 0;
  moments seen_{};
  std::promise<void> done_;
};

moments one_burst(detent::engine& engine, std::int64_t count) {
  // Long enough to schedule and drain all of them.
  const detent::time_point deadline = engine.now() + 20ms + 500ns * count;
  burst_watch watch(deadline, count);
  for (std::int64_t i = 0; i < count; ++i) engine.schedule_at(deadline, [&watch] { watch.note(); });
  return watch.wait();
}

double median_us(std::vector<std::int64_t> of) {
  std::sort(of.begin(), of.end());
  return static_cast<double>(of[of.size() / 2]) / 1e3;
}

void burst(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  const std::int64_t bursts = full_or_smoke(std::clamp<std::int64_t>(200'000 / count, 3, 21), 1);
  for (auto _ : state) {
    detent::engine engine(
        {.reserve = static_cast<std::size_t>(count), .memory = {.prefault = detent::preference::attempt}});
    std::vector<std::int64_t> first, last;
    for (std::int64_t i = 0; i < bursts; ++i) {
      const moments seen = one_burst(engine, count);
      if (seen.first_ns < 0) return state.SkipWithError("a timer fired early");
      first.push_back(seen.first_ns);
      last.push_back(seen.last_ns);
    }
    state.counters["first_us"] = median_us(first);
    state.counters["last_us"] = median_us(last);
  }
}

void sizes(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("timers")->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t count : {1'000, 10'000, 100'000, 1'000'000}) {
    if (count == 1'000 || !smoke()) wanted->Arg(count);
  }
}
BENCHMARK(burst)->Apply(sizes);

}  // namespace
