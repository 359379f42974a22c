// SPDX-License-Identifier: MIT
// An engine's counters file while it lives: what another program reads is what metrics() says.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/counters_file.hpp"
#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"
#include "support/joined_thread.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using counters_layout::cause;
using counters_layout::counter;
using counters_layout::gauge;
using counters_layout::label_counter;
using drive::at;
using drive::counters_file;
using drive::eventually;
using drive::scratch_folder;

engine_options with_file(const std::string& path, engine_options options = {}) {
  options.counters_file = path;
  options.name = "orders";
  return options;
}

// To be called while the engine is at rest.
void expect_same(const counters_file& file, const engine_metrics& reported) {
  EXPECT_EQ(file.total(counter::scheduled), reported.scheduled);
  EXPECT_EQ(file.total(counter::expired), reported.expired);
  EXPECT_EQ(file.total(counter::cancelled) + file.total(counter::cancelled_running), reported.cancelled);
  EXPECT_EQ(file.total(counter::returned), reported.returned);
  EXPECT_EQ(file.total(counter::dropped), reported.dropped);
  EXPECT_EQ(file.total(counter::fired), reported.fired);
  EXPECT_EQ(file.total(counter::restarted), reported.restarted);
  EXPECT_EQ(file.total(counter::failed), reported.failed);
  EXPECT_EQ(file.total(counter::boxed), reported.boxed);
  EXPECT_EQ(file.total(counter::drained), reported.drained);
  EXPECT_EQ(file.total(counter::slow), reported.slow);
  EXPECT_EQ(file.total(counter::scheduled) + file.total(counter::revived) - file.total(counter::started_last) -
                file.total(counter::cancelled) - file.total(counter::returned) - file.total(counter::dropped),
            reported.pending);
}

// A part leaves its zeros out.
void expect_same(const counters_file::histogram_read& file, const histogram& reported, bool leaves_out_zeros) {
  EXPECT_EQ(file.max, static_cast<std::uint64_t>(reported.max().count()));
  const std::uint64_t mean = reported.count() == 0 ? 0 : file.sum / reported.count();
  EXPECT_EQ(mean, static_cast<std::uint64_t>(reported.mean().count()));
  if (leaves_out_zeros) {
    EXPECT_LE(file.count, reported.count());
  } else {
    EXPECT_EQ(file.count, reported.count());
  }
}

template <class Read>
void expect_same_histograms(Read&& read, const engine_metrics& reported) {
  expect_same(read(cause::lateness), reported.lateness, false);
  expect_same(read(cause::drain), reported.late_drain, true);
  expect_same(read(cause::wait), reported.late_wait, true);
  expect_same(read(cause::worker), reported.late_worker, true);
  expect_same(read(cause::dispatch), reported.late_dispatch, true);
  expect_same(read(cause::callback), reported.callback, false);
}

TEST(EngineCountersFile, SaysWhoseItIs) {
  scratch_folder folder;
  engine e(with_file(folder / "counters", {.tick = 1us,
                                           .wait = wait_options::hybrid(77us),
                                           .max_pending = 1000,
                                           .clock = clock_kind::steady,
                                           .wheel = wheel_kind::hashed}));
  const counters_file file(folder / "counters");
  const counters_layout::header& h = file.header;
  EXPECT_EQ(std::string(h.magic, 8), "detent#c");
  EXPECT_EQ(h.version, counters_layout::version);
  EXPECT_EQ(file.state(), counters_layout::file_state::live);
  EXPECT_EQ(h.file_bytes, file.size());
  EXPECT_EQ(h.process, getpid());
  EXPECT_EQ(std::string(h.name), "orders");
  EXPECT_EQ(h.tick, 1000);
  EXPECT_EQ(h.max_spin, 77'000);
  EXPECT_EQ(h.capacity, 1000u);
  EXPECT_EQ(h.wheel, 1);
  EXPECT_EQ(h.wait, 1);
  EXPECT_EQ(h.drive, 0);
  EXPECT_EQ(h.clock, 0);
  EXPECT_EQ(h.clock_reason, 0);  // the steady clock was asked for
  EXPECT_TRUE(std::filesystem::exists("/proc/self/task/" + std::to_string(h.worker_thread)));
  EXPECT_NE(h.worker_thread, static_cast<std::uint32_t>(gettid()));
  EXPECT_LE(h.made_at, detail::to_ns(clock::now()));
  EXPECT_GT(h.made_at, 0);
  // Field 22, counted from after the name in brackets.
  const std::string stat = drive::read_text("/proc/self/stat");
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 22; ++field) at = stat.find(' ', at + 1);
  EXPECT_EQ(h.process_start, std::stoull(stat.substr(at)));
}

TEST(EngineCountersFile, OfACallerDrivenEngineHasNoWorker) {
  scratch_folder folder;
  drive::virtual_engine rig(with_file(folder / "counters", {.wait = wait_options::sleep()}));
  const counters_file file(folder / "counters");
  EXPECT_EQ(file.header.worker_thread, 0u);
  EXPECT_EQ(file.header.drive, 1);
  EXPECT_EQ(file.header.clock, 2);
  EXPECT_EQ(file.header.wait, 2);
  EXPECT_EQ(file.header.max_spin, 0);
}

TEST(EngineCountersFile, OthersMayReadIt) {
  scratch_folder folder;
  const mode_t before = umask(022);
  engine e(with_file(folder / "counters"));
  umask(before);
  struct stat reported {};
  ASSERT_EQ(stat((folder / "counters").c_str(), &reported), 0);
  EXPECT_EQ(reported.st_mode & 0777, 0644u);
}

TEST(EngineCountersFile, CountsWhatMetricsCount) {
  scratch_folder folder;
  drive::virtual_engine rig(
      with_file(folder / "counters", {.on_error = [](std::exception_ptr) {}, .slow_threshold = 1us}));
  const label one = rig.engine.make_label("one"), two = rig.engine.make_label("two");
  rig.poll_at(at(1001));
  rig.engine.schedule_at(at(1), [&] { rig.clock.advance(5us); }, {.label = two});
  rig.engine.schedule_at(at(1), [] { throw 1; }, {.label = one});
  rig.engine.schedule_at_fixed_rate(10us, 1us, [](firing& f) { f.rearm_after(1us); }, {.label = one});
  rig.engine.schedule_at(at(1), [](firing& f) { f.rearm_after(1us); });
  rig.engine.schedule_at(at(1h), [big = std::array<char, 100>()] { static_cast<void>(big); }).cancel();
  rig.engine.schedule_at(at(1h), [] {}, {.label = one}).restart_at(at(2h));
  std::thread([&] { rig.engine.schedule_at(at(20), [] {}, {.max_lateness = 1ns}); }).join();
  for (int i = 1; i < 30; ++i) rig.poll_at(at(1us * i));
  const counters_file file(folder / "counters");
  EXPECT_EQ(file.header.threads_in_use, 2u + 1u);  // plus the driver's spare one
  expect_same(file, rig.engine.metrics());
  expect_same_histograms([&](cause which) { return file.read_histogram(which); }, rig.engine.metrics());
  EXPECT_GT(rig.engine.metrics().late_drain.max(), 0ns);
  EXPECT_GT(rig.engine.metrics(one).late_drain.max(), 0ns);
  EXPECT_EQ(rig.engine.metrics(one).late_worker.max(), 5us);
  ASSERT_EQ(file.header.labels_in_use, 2u);
  EXPECT_EQ(file.header.file_bytes, file.size());
  for (std::size_t i = 0; i < 2; ++i) {
    const engine_metrics reported = rig.engine.metrics(i == 0 ? one : two);
    EXPECT_EQ(file.label_name(i), i == 0 ? "one" : "two");
    EXPECT_EQ(file.label_count(i, label_counter::scheduled), reported.scheduled);
    EXPECT_EQ(file.label_count(i, label_counter::expired), reported.expired);
    EXPECT_EQ(file.label_count(i, label_counter::cancelled), reported.cancelled);
    EXPECT_EQ(file.label_count(i, label_counter::fired), reported.fired);
    EXPECT_EQ(file.label_count(i, label_counter::failed), reported.failed);
    EXPECT_EQ(file.label_count(i, label_counter::restarted), reported.restarted);
    EXPECT_EQ(file.label_count(i, label_counter::begun) - file.label_count(i, label_counter::over), reported.pending);
    EXPECT_GT(reported.fired, 0u);
    expect_same_histograms([&](cause which) { return file.label_histogram(i, which); }, reported);
  }
}

TEST(EngineCountersFile, GaugesAreOfTheDriversLastPass) {
  scratch_folder folder;
  drive::virtual_engine rig(with_file(folder / "counters"));
  rig.engine.schedule_at(at(5s), [] {});
  EXPECT_EQ(counters_file(folder / "counters").value(gauge::next_deadline), INT64_MAX);  // none has passed so far
  rig.poll_at(at(700));
  EXPECT_EQ(counters_file(folder / "counters").value(gauge::last_pass), 700);
  const std::int64_t next = counters_file(folder / "counters").value(gauge::next_deadline);
  EXPECT_GT(next, 700);
  EXPECT_LE(next, 5'000'000'000);
  rig.poll_at(at(5s));
  EXPECT_EQ(counters_file(folder / "counters").value(gauge::next_deadline), INT64_MAX);
}

// The time is exact to the nanosecond, not to the place in the wheel.
TEST(EngineCountersFile, ASleepingWorkerShowsUntilWhen) {
  scratch_folder folder;
  engine e(with_file(folder / "counters", {.wait = wait_options::sleep()}));
  const time_point due = e.now() + 1h;
  // Scheduled by the worker itself, which inserts the timer at once. For another thread's timer it may wake up to a
  // margin early.
  e.schedule_after(0ns, [&] { e.schedule_at(due, [] {}); });
  const std::int64_t wanted = detail::to_ns(due);
  EXPECT_TRUE(eventually([&] { return counters_file(folder / "counters").value(gauge::next_deadline) == wanted; }));
}

// While an executor refuses the first callback, timers that came due after it and were cancelled since must not
// accumulate.
TEST(EngineCountersFile, WhatWaitsForAnExecutorIsHardlyMoreThanIsPending) {
  scratch_folder folder;
  auto refuses = std::make_shared<testing::holding_executor>();
  refuses->refuse = true;
  drive::virtual_engine rig(with_file(folder / "counters", {.executor = refuses, .on_refusal = refusal_policy::retry}));
  for (int id : {1, 2, 3}) rig.engine.schedule_after(0ns, rig.note(id));
  for (int i = 0; i < 1000; ++i) {
    timer cancelled = rig.engine.schedule_after(0ns, rig.note(4));
    rig.engine.poll();
    EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  }
  rig.engine.poll();
  EXPECT_LE(counters_file(folder / "counters").value(gauge::retries), 64);
  refuses->refuse = false;
  rig.engine.poll();
  refuses->run_all();
  EXPECT_EQ(rig.fired, (drive::ids{1, 2, 3}));
}

TEST(EngineCountersFile, GaugesShowWhatWaits) {
  scratch_folder folder;
  auto full = std::make_shared<testing::moody_executor>();
  full->refuse = true;
  drive::virtual_engine rig(with_file(folder / "counters", {.executor = full, .on_refusal = refusal_policy::retry}));
  for (int i = 0; i < 3; ++i) rig.engine.schedule_at(at(1), [] {});
  rig.poll_at(at(1));
  EXPECT_EQ(counters_file(folder / "counters").value(gauge::retries), 3);
  EXPECT_EQ(rig.engine.metrics().queued, 3u);
  // If very many timers are far away, a sleeping worker leaves some where they are.
  engine worker(with_file(folder / "worker"));
  std::vector<timer> out(50'000);
  const std::vector<time_point> deadlines(out.size(), clock::now() + 1h);
  worker.schedule_at_bulk(
      deadlines, [](std::size_t) {}, out);
  EXPECT_TRUE(eventually([&] { return counters_file(folder / "worker").value(gauge::backlog) > 0; }));
  EXPECT_GT(counters_file(folder / "worker").value(gauge::margin), 0);
}

TEST(EngineCountersFile, AWorkersWakeUps) {
  scratch_folder folder;
  engine e(with_file(folder / "counters", {.wait = wait_options::sleep()}));
  std::atomic<int> fired{0};
  e.schedule_at_fixed_rate(1ms, 1ms, [&] { ++fired; });
  ASSERT_TRUE(eventually([&] { return fired > 5; }));
  EXPECT_TRUE(eventually([&] { return counters_file(folder / "counters").value(gauge::wakeups) > 0; }));
  EXPECT_GT(e.metrics().wakeups, 0u);
  e.stop();
  EXPECT_EQ(counters_file(folder / "counters").value(gauge::hidden_threads), 0);
  expect_same(counters_file(folder / "counters"), e.metrics());
}

TEST(EngineCountersFile, ThreadsCountApart) {
  scratch_folder folder;
  engine e(with_file(folder / "counters"));
  const label mine = e.make_label("mine");
  testing::on_threads(3, [&] {
    for (int i = 0; i < 500; ++i) {
      e.schedule_after(1h, [] {}).cancel();
      e.schedule_after(0ns, [] {}, {.label = mine});
    }
  });
  ASSERT_TRUE(eventually([&] { return e.metrics().callback.count() == 1500; }));
  e.stop();
  const counters_file file(folder / "counters");
  expect_same(file, e.metrics());
  expect_same_histograms([&](cause which) { return file.read_histogram(which); }, e.metrics());
  expect_same_histograms([&](cause which) { return file.label_histogram(0, which); }, e.metrics(mine));
}

}  // namespace
}  // namespace detent
