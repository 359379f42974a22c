// SPDX-License-Identifier: MIT
// What do threads cost that have called once and are idle since? Each look into the submission queue, of a poll or of a
// worker that wakes for a timer, must not meet them.
//
// Read: nothing_due and fire per `idle_threads`, against the row of one thread; poll_ns_an_entry of poll_entries, where
// `busy` of the threads have scheduled and cancelled a timer each since the poll before.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

// Threads that have each scheduled a timer and now wait.
class idle_threads {
 public:
  idle_threads(detent::engine& engine, std::int64_t count) {
    std::atomic<std::int64_t> called{0};
    for (std::int64_t i = 0; i < count; ++i) {
      threads_.emplace_back([&] {
        engine.schedule_after(1h, [] {});
        called.fetch_add(1);
        std::unique_lock lock(mutex_);
        over_.wait(lock, [this] { return is_over_; });
      });
    }
    while (called.load() != count) std::this_thread::sleep_for(1ms);
  }
  ~idle_threads() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    for (std::thread& each : threads_) each.join();
  }
  idle_threads(const idle_threads&) = delete;
  idle_threads& operator=(const idle_threads&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

// Threads of which some are busy: each of these schedules and cancels a timer when it is its turn.
class busy_threads {
 public:
  busy_threads(detent::engine& engine, std::int64_t count) : turns_(static_cast<std::size_t>(count)) {
    for (turn& mine : turns_) {
      threads_.emplace_back([this, &engine, &mine] {
        for (;;) {
          mine.has_come.acquire();
          if (is_over_.load(std::memory_order_relaxed)) return;  // relaxed: ordered by the semaphore
          engine.schedule_after(1h, [] {}).cancel();
          done_.release();
        }
      });
    }
    step(turns_.size());
  }
  // Lets `busy` threads, always the same ones, take their turns.
  void step(std::size_t busy) {
    for (std::size_t i = 0; i != busy; ++i) {
      turns_[i].has_come.release();
      done_.acquire();
    }
  }
  ~busy_threads() {
    is_over_.store(true, std::memory_order_relaxed);  // relaxed: ordered by the semaphore
    for (turn& each : turns_) each.has_come.release();
    for (std::thread& each : threads_) each.join();
  }
  busy_threads(const busy_threads&) = delete;
  busy_threads& operator=(const busy_threads&) = delete;

 private:
  struct turn {
    std::binary_semaphore has_come{0};
  };
  std::deque<turn> turns_;
  std::binary_semaphore done_{0};
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

// Measures only the poll, for each entry that it finds.
void poll_entries(benchmark::State& state) {
  detent::engine engine({.drive = detent::drive_kind::caller});
  const auto busy = static_cast<std::size_t>(state.range(1));
  busy_threads threads(engine, state.range(0));
  engine.poll();
  std::int64_t spent = 0;
  for (auto _ : state) {
    threads.step(busy);
    const std::int64_t before = thread_cpu_ns();
    benchmark::DoNotOptimize(engine.poll());
    spent += thread_cpu_ns() - before;
  }
  state.counters["poll_ns_an_entry"] =
      static_cast<double>(spent) / static_cast<double>(state.iterations()) / static_cast<double>(busy);
}

void nothing_due(benchmark::State& state) {
  detent::engine engine({.drive = detent::drive_kind::caller});
  const idle_threads idle(engine, state.range(0));
  engine.poll();
  for (auto _ : state) benchmark::DoNotOptimize(engine.poll());
}

// A timer of 1 kHz, whose worker sleeps between two runs.
void fire(benchmark::State& state) {
  detent::engine engine({.wait = detent::wait_options::sleep()});
  const idle_threads idle(engine, state.range(0));
  std::atomic<std::int64_t> runs{0};
  engine.schedule_at_fixed_rate(1ms, 1ms, [&] { runs.fetch_add(1, std::memory_order_relaxed); });
  std::this_thread::sleep_for(20ms);
  for (auto _ : state) {
    const std::int64_t before = runs.load(), cpu = process_cpu_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(full_or_smoke(2'000, 50)));
    state.counters["cpu_ns_a_fire"] =
        static_cast<double>(process_cpu_ns() - cpu) / static_cast<double>(runs.load() - before);
  }
}

BENCHMARK(nothing_due)->ArgName("idle_threads")->Arg(1)->Arg(full_or_smoke(200, 20))->Arg(full_or_smoke(1'000, 40));
BENCHMARK(poll_entries)
    ->ArgNames({"threads", "busy"})
    ->Args({full_or_smoke(1'000, 40), 1})
    ->Args({full_or_smoke(1'000, 40), full_or_smoke(100, 10)})
    ->Iterations(full_or_smoke(2'000, 10));
BENCHMARK(fire)
    ->ArgName("idle_threads")
    ->Arg(1)
    ->Arg(full_or_smoke(1'000, 40))
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
