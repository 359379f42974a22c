// SPDX-License-Identifier: MIT
// Do timers stay on time while another thread floods the engine with schedule + cancel? Lateness of 1,000 timers a
// second in busy mode: alone, beside a thread that keeps 1,000 far timers live as fast as it can, and beside one whose
// timers are each the earliest deadline, so that every schedule rings.
//
// Read: p50_ns of flood and of alone in the same run, and late_worker_p99_ns, the part of the lateness that the worker
// made by being busy. p99_ns is the scheduler's where the threads share two CPUs.
#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/lateness.hpp"
#include "support/live_timers.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;

// A thread that calls `step` until it is destroyed.
class thread_at_work {
 public:
  template <class Step>
  explicit thread_at_work(Step step)
      : thread_([this, step]() mutable {
          while (!end_.load(std::memory_order_relaxed)) {  // relaxed: publishes nothing else
            for (int i = 0; i < 64; ++i) step();
            steps_ += 64;
          }
        }) {}
  thread_at_work(const thread_at_work&) = delete;
  thread_at_work& operator=(const thread_at_work&) = delete;
  ~thread_at_work() { finish(); }
  // Ends the thread and returns how often it has stepped.
  std::uint64_t finish() {
    end_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
    return steps_;
  }

 private:
  std::atomic<bool> end_{false};
  std::uint64_t steps_ = 0;
  std::thread thread_;
};

// `make_step(engine)` makes the function that floods, if there is one.
template <class MakeStep>
void lateness_beside(benchmark::State& state, MakeStep make_step) {
  const auto plan = plan_timers(state.range(0));
  for (auto _ : state) {
    detent::engine engine({.wait = detent::wait_options::busy()});
    lateness_samples lateness(plan.size());
    const auto began = detent::clock::now();
    thread_at_work other(make_step(engine));
    meet_by_engine(engine, plan, lateness);
    const std::uint64_t pairs = other.finish();
    const std::chrono::duration<double> took = detent::clock::now() - began;
    engine.stop();
    lateness.report(state);
    const detent::histogram late_worker = engine.metrics().late_worker;
    state.counters["late_worker_p99_ns"] = static_cast<double>(late_worker.percentile(99).count());
    state.counters["pairs_a_second"] = static_cast<double>(pairs) / took.count();
  }
}

void flood_behind(benchmark::State& state) {
  lateness_beside(state, [](detent::engine& engine) {
    auto live = std::make_shared<live_timers<schedule_at_counted>>(1'000, 1, schedule_at_counted(engine));
    return [live] { live->replace(live->oldest()); };
  });
}

void flood_ahead(benchmark::State& state) {
  lateness_beside(state, [](detent::engine& engine) {
    return [&engine] { engine.schedule_after(std::chrono::microseconds(500), [] {}).cancel(); };
  });
}

void alone(benchmark::State& state) {
  const auto plan = plan_timers(state.range(0));
  for (auto _ : state) {
    detent::engine engine({.wait = detent::wait_options::busy()});
    lateness_samples lateness(plan.size());
    meet_by_engine(engine, plan, lateness);
    engine.stop();
    lateness.report(state);
  }
}

void lasting(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("ms")->Arg(full_or_smoke(3'000, 100))->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(alone)->Apply(lasting);
BENCHMARK(flood_behind)->Apply(lasting);
BENCHMARK(flood_ahead)->Apply(lasting);

}  // namespace
