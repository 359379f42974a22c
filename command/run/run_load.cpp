// SPDX-License-Identifier: MIT
#include "run/run_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "doctor/doctor.hpp"
#include "doctor/machine_watch.hpp"
#include "lateness/lateness_probe.hpp"
#include "run/held_signals.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

std::vector<std::future<load_counts>> start_producers(engine& engine, lateness_probe& probe,
                                                      const load_options& options, time_point until,
                                                      const std::stop_token& stop) {
  std::vector<std::future<load_counts>> producers;
  for (std::uint64_t i = 0; i < options.producers; ++i) {
    const std::uint64_t share = options.timers / options.producers + (i < options.timers % options.producers ? 1U : 0U);
    producers.push_back(std::async(std::launch::async, [&engine, &probe, &options, i, share, until, stop] {
      return load_producer(engine, probe, options, i, share).run(until, stop);
    }));
  }
  return producers;
}

// Samples the number of pending timers until the load ends or a signal comes. Returns for how long this process, or its
// machine, stood still.
machine_watch watch(const engine& engine, time_point began, time_point until, pending_series& pending,
                    held_signals& signals) {
  const host_files host;
  machine_watch stops;
  progress_line progress;
  const duration step =
      std::clamp<duration>((until - began) / 500, std::chrono::milliseconds(1), std::chrono::milliseconds(100));
  constexpr duration between_looks = std::chrono::milliseconds(200);
  time_point next_progress = began, next_look = began;
  for (time_point now = clock::now(); now < until; now = clock::now()) {
    const std::size_t count = engine.pending();
    pending.add(static_cast<std::uint64_t>((now - began).count()), count);
    if (progress.visible() && now >= next_progress) {
      progress.show(fmt::format("running: {} of {}, {} fired, {} pending",
                                time_text(static_cast<double>((now - began).count())),
                                time_text(static_cast<double>((until - began).count())),
                                count_text(engine.metrics().fired), count_text(count)));
      next_progress = now + std::chrono::milliseconds(100);
    }
    if (now >= next_look) {
      stops.look(machine_clocks::read(host), (between_looks + step).count(), host);
      next_look = now + between_looks;
    }
    if (signals.wait_until(std::min(now + step, until))) break;
  }
  return stops;
}

}  // namespace

load_outcome run_load(const load_options& options) {
  held_signals signals;
  load_outcome outcome;
  outcome.began = std::time(nullptr);
  outcome.floor.measure();
  lateness_probe probe(options.executor != 0);  // the worker runs what a full pool refuses
  std::shared_ptr<executor> pool;
  if (options.executor != 0)
    pool = std::make_shared<thread_pool>(thread_pool_options{.threads = options.executor, .name = "detent-run-pool"});
  engine engine({.name = "detent-run",
                 .tick = options.tick,
                 .wait = options.wait,
                 .executor = std::move(pool),
                 .cpu = options.cpu,
                 .realtime_priority = options.priority,
                 .counters_file = options.counters,
                 .record = options.record,
                 .wheel = options.wheel});
  const cpu_usage cpu(engine);
  host_watch doctor({.cpu = options.cpu,
                     .priority = options.priority,
                     .wait = options.wait.mode,
                     .thread = cpu.worker_thread(),
                     .hands_over = options.executor != 0});
  const time_point began = clock::now();
  probe.begin(began, options.length);
  const time_point until = began + options.length;
  std::stop_source stop;
  auto producers = start_producers(engine, probe, options, until, stop.get_token());
  const machine_watch stops = watch(engine, began, until, outcome.pending, signals);
  outcome.length = std::min(clock::now(), until) - began;
  stop.request_stop();
  for (auto& producer : producers) {
    const load_counts counts = producer.get();
    outcome.counts.scheduled += counts.scheduled;
    outcome.counts.cancelled += counts.cancelled;
    outcome.counts.late_cancels += counts.late_cancels;
    outcome.counts.restarted += counts.restarted;
  }
  outcome.cpu = cpu.read();
  doctor.look();
  outcome.findings = doctor.findings();
  outcome.evidence = doctor.evidence();
  outcome.evidence.stopped = stops.halted();
  outcome.evidence.longest_stop = stops.longest_halt();
  outcome.pending_at_end = engine.stop().size();  // first, because timers that fired after it would be counted twice
  outcome.metrics = engine.metrics();
  outcome.fired = probe.lateness().count();
  outcome.fired_early = probe.early();
  outcome.lateness = probe.lateness();
  outcome.over_time = probe.over_time();
  outcome.floor.measure();
  return outcome;
}

}  // namespace detent::tool
