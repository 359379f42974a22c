// SPDX-License-Identifier: MIT
// What does a caller pay to cancel, to pause and to resume a group of ten members, and of a million? The engine is
// driven by a caller that does not come by meanwhile (`caller`), or by a worker that a callback keeps busy (`busy`), so
// that no call has to wake anybody; or by one that sleeps (`asleep`).
//
// Read: Time is one call's with cold caches, the median of 15. Ten and a million cost the same; asleep adds a futex
// wake, which is the operating system's. What the engine does later, in passing, is `reclaim`: its time for one
// cancelled member, captures included.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

enum class call : std::uint8_t { cancel, pause, resume };
enum class driven : std::uint8_t { caller, busy, asleep };
constexpr int calls_a_round = 15;

void fill(detent::timer_group& group, std::int64_t members) {
  for (std::int64_t i = 0; i < members; ++i) group.schedule_after(1h + detent::duration(i), [] {});
}

// Returns when the driver has drained everything. Without a worker, the caller is the driver.
void settle_all(detent::engine& engine, driven by) {
  if (by == driven::caller) {
    static_cast<void>(engine.next_deadline());
    return;
  }
  std::promise<void> done;
  engine.schedule_after(0ns, [&] { done.set_value(); });
  done.get_future().wait();
  if (by == driven::asleep) std::this_thread::sleep_for(2ms);
}

// A driver that has gone through a million members has pushed everything else out of the caches; the runs with ten
// members must begin like that as well.
void forget() {
  static std::vector<char> elsewhere(64 << 20);
  for (std::size_t at = 0; at < elsewhere.size(); at += 64) benchmark::DoNotOptimize(++elsewhere[at]);
}

double seconds_of(call wanted, detent::timer_group& group) {
  const auto began = detent::clock::now();
  switch (wanted) {
    case call::cancel: group.cancel_all(); break;
    case call::pause: group.pause(); break;
    case call::resume: group.resume(); break;
  }
  return std::chrono::duration<double>(detent::clock::now() - began).count();
}

void group_call(benchmark::State& state, call wanted, driven by) {
  detent::engine engine({.drive = by == driven::caller ? detent::drive_kind::caller : detent::drive_kind::worker,
                         .wait = detent::wait_options::sleep()});
  detent::timer_group group(engine);
  fill(group, state.range(0));
  for (auto _ : state) {
    std::vector<double> times;
    for (int i = 0; i < calls_a_round; ++i) {
      settle_all(engine, by);
      std::atomic<bool> entered{false}, leave{false};
      if (by == driven::busy) {
        engine.schedule_after(0ns, [&] {
          entered = true;
          while (!leave) {
          }
        });
        while (!entered) {
        }
      }
      if (wanted == call::resume) group.pause();
      forget();
      times.push_back(seconds_of(wanted, group));
      if (wanted == call::pause) group.resume();
      leave = true;
      if (by == driven::busy) settle_all(engine, by);
      if (wanted == call::cancel) fill(group, state.range(0));
    }
    std::nth_element(times.begin(), times.begin() + calls_a_round / 2, times.end());
    state.SetIterationTime(times[calls_a_round / 2]);
  }
}

void reclaim(benchmark::State& state) {
  detent::engine engine({.drive = detent::drive_kind::caller});
  detent::timer_group group(engine);
  for (auto _ : state) {
    fill(group, state.range(0));
    static_cast<void>(engine.next_deadline());
    group.cancel_all();
    const auto began = detent::clock::now();
    while (engine.pending() != 0) engine.poll();
    const std::chrono::duration<double> took = detent::clock::now() - began;
    state.SetIterationTime(took.count() / static_cast<double>(state.range(0)));
  }
}

void sizes(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("members")->Arg(10)->Arg(full_or_smoke(1'000'000, 1'000))->Iterations(1)->UseManualTime();
}

BENCHMARK_CAPTURE(group_call, cancel_caller, call::cancel, driven::caller)->Apply(sizes);
BENCHMARK_CAPTURE(group_call, pause_caller, call::pause, driven::caller)->Apply(sizes);
BENCHMARK_CAPTURE(group_call, resume_caller, call::resume, driven::caller)->Apply(sizes);
BENCHMARK_CAPTURE(group_call, cancel_busy, call::cancel, driven::busy)->Apply(sizes);
BENCHMARK_CAPTURE(group_call, resume_busy, call::resume, driven::busy)->Apply(sizes);
BENCHMARK_CAPTURE(group_call, cancel_asleep, call::cancel, driven::asleep)->Apply(sizes);
BENCHMARK(reclaim)->Apply(sizes);

}  // namespace
