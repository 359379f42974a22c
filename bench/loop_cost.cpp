// SPDX-License-Identifier: MIT
// What does a tick save a loop of one's own? Timers of 1 to 21 ms, each armed again in its callback, on an engine that
// an epoll loop drives by wake_fd().
//
// Read: Time is the CPU time of the process for one run. With a tick of 1 ns nearly each timer is a wake-up of its own,
// and that is what it costs; with 1 ms timers meet. `runs_a_wake_up` is how many of them do.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "support/process_cost.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

class epoll_loop {
 public:
  explicit epoll_loop(detent::engine& driven) : driven_(driven), waits_on_(::epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event interest{.events = EPOLLIN, .data = {}};
    ::epoll_ctl(waits_on_, EPOLL_CTL_ADD, driven.wake_fd(), &interest);
  }
  epoll_loop(const epoll_loop&) = delete;
  epoll_loop& operator=(const epoll_loop&) = delete;
  ~epoll_loop() { ::close(waits_on_); }

  void wait_and_poll() {
    epoll_event ready{};
    ::epoll_wait(waits_on_, &ready, 1, -1);
    driven_.poll();
  }

 private:
  detent::engine& driven_;
  const int waits_on_;
};

void loop_cost(benchmark::State& state, detent::duration tick, std::int64_t timers) {
  const std::int64_t runs = timers * full_or_smoke(30, 1);
  std::int64_t wake_ups = 0;
  for (auto _ : state) {
    detent::engine engine({.drive = detent::drive_kind::caller, .tick = tick});
    epoll_loop loop(engine);
    cheap_random random(1);
    const auto next = [&random] { return 1ms + detent::duration(static_cast<std::int64_t>(random.below(20'000'000))); };
    std::int64_t left = runs;
    for (std::int64_t i = 0; i < timers; ++i) {
      engine.schedule_after(next(), [&](detent::firing& run) {
        --left;
        run.rearm_after(next());
      });
    }
    const std::int64_t began = process_cpu_ns();
    for (; left > 0; ++wake_ups) loop.wait_and_poll();
    state.SetIterationTime(static_cast<double>(process_cpu_ns() - began) * 1e-9 / static_cast<double>(runs));
  }
  state.counters["runs_a_wake_up"] =
      static_cast<double>(runs) * static_cast<double>(state.iterations()) / static_cast<double>(wake_ups);
}

void add(std::int64_t timers, const char* name, detent::duration tick) {
  benchmark::RegisterBenchmark((std::string(name) + "/timers:" + std::to_string(timers)).c_str(), loop_cost, tick,
                               timers)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(full_or_smoke(3, 1)));
}

[[maybe_unused]] const bool added = [] {
  for (const std::int64_t timers : {100, 10'000}) {
    add(timers, "tick_1ms", 1ms);
    add(timers, "tick_1ns", 1ns);
  }
  return true;
}();

}  // namespace
