// SPDX-License-Identifier: MIT
// A program with an engine that leaves its counters in a file:
//   counters_engine FILE [heartbeat [NAME LABEL] | failing | idle | hanging | full | late SCENARIO]
// Runs 300 timers under a label and 40 without, and cancels 50; or begins to run one each 10 ms; or runs 100 that
// throw; or has one that is due in an hour, and no thread that drives it; or seven on a pool whose thread hangs; or has
// as many as it may, and a call each 10 ms that is refused; or has timers late in one of the ways below. Says on
// standard output "ready", and waits until standard input ends; then the engine does.
#include <detent/detent.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

void wait_for_the_end() {
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}

void beat(const char* file, const char* name, const char* label) {
  detent::engine engine({.name = name, .counters_file = file});
  detent::periodic_options labelled;
  labelled.label = engine.make_label(label);
  engine.schedule_at_fixed_rate(
      10ms, 10ms, [] {}, labelled);
  while (engine.metrics().fired == 0) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
}

// Fails on both threads of a pool.
void fail(const char* file) {
  detent::engine engine({.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2}),
                         .on_error = [](std::exception_ptr) {},
                         .counters_file = file});
  for (int i = 0; i < 100; ++i)
    engine.schedule_after(detent::duration(i), [] { throw std::runtime_error("no route to host"); });
  while (engine.metrics().failed < 100) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
}

void idle(const char* file) {
  detent::engine engine({.name = "idle", .drive = detent::drive_kind::caller, .counters_file = file});
  engine.schedule_after(1h, [] {});
  wait_for_the_end();
}

void hang(const char* file) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  auto pool = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 1});
  detent::engine engine({.name = "hanging", .executor = std::move(pool), .counters_file = file});
  for (int i = 0; i < 8; ++i) engine.schedule_after(1ms, [ended] { ended.wait(); });
  while (engine.metrics().queued < 7) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
  end.set_value();
}

template <class Step>
void until_the_end(detent::duration between, Step step);

void fill(const char* file) {
  detent::engine engine({.name = "full", .max_pending = 3, .counters_file = file});
  for (int i = 0; i < 3; ++i) engine.schedule_after(1h, [] {});
  const auto ask = [&engine] { static_cast<void>(engine.try_schedule_after(1h, [] {})); };
  for (int i = 0; i < 4; ++i) ask();
  until_the_end(10ms, ask);
}

void run(const char* file) {
  detent::engine engine({.name = "two words", .counters_file = file});
  const detent::label retry = engine.make_label("retry \"3\"");
  detent::timer_options labelled;
  labelled.label = retry;
  for (int i = 0; i < 300; ++i)
    engine.schedule_after(
        1ms, [] { std::this_thread::sleep_for(20us); }, labelled);  // the length that the file says
  for (int i = 0; i < 40; ++i) engine.schedule_after(2ms, [] {});
  std::vector<detent::timer> kept;
  for (int i = 0; i < 60; ++i) kept.push_back(engine.schedule_after(1h, [] {}));
  for (int i = 0; i < 50; ++i) kept[static_cast<std::size_t>(i)].cancel();
  while (engine.metrics().expired < 340) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
}

// Keeps fifty timers, each due a hundred times a second.
void keep_beating(detent::engine& engine) {
  for (int i = 0; i < 50; ++i) engine.schedule_at_fixed_rate(10ms, 10ms, [] {});
}

// Calls `step` on a thread of its own, with a sleep after each call, until standard input ends.
template <class Step>
void until_the_end(detent::duration between, Step step) {
  std::atomic<bool> over = false;
  std::thread loop([&] {
    while (!over) {
      step();
      std::this_thread::sleep_for(between);
    }
  });
  wait_for_the_end();
  over = true;
  loop.join();
}

// Runs a worker that spins on one CPU; any other thread there keeps it from running.
void spin_on(const char* file, int cpu) {
  detent::engine engine({.wait = detent::wait_options::busy(), .cpu = cpu, .counters_file = file});
  keep_beating(engine);
  wait_for_the_end();
}

void beat_on_a_worker(const char* file) {
  detent::engine engine({.counters_file = file});
  keep_beating(engine);
  wait_for_the_end();
}

// Polls as a game with 60 frames a second does.
void poll_each_frame(const char* file) {
  detent::engine engine({.drive = detent::drive_kind::caller, .counters_file = file});
  keep_beating(engine);
  until_the_end(16'667us, [&] { engine.poll(); });
}

void hold_up_by_a_callback(const char* file) {
  detent::engine engine({.counters_file = file});
  keep_beating(engine);
  engine.schedule_at_fixed_rate(300ms, 300ms, [] { std::this_thread::sleep_for(200ms); });
  wait_for_the_end();
}

void fill_a_pool(const char* file) {
  detent::engine engine({.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 1}),
                         .counters_file = file});
  for (int i = 0; i < 20; ++i) engine.schedule_at_fixed_rate(50ms, 50ms, [] { std::this_thread::sleep_for(50ms); });
  wait_for_the_end();
}

void schedule_into_the_past(const char* file) {
  detent::engine engine({.counters_file = file});
  until_the_end(5ms, [&] { engine.schedule_at(detent::clock::now() - 300ms, [] {}); });
}

bool be_late(const char* file, std::string_view scenario) {
  if (scenario == "worker") {
    beat_on_a_worker(file);
  } else if (scenario == "loop") {
    poll_each_frame(file);
  } else if (scenario == "callback") {
    hold_up_by_a_callback(file);
  } else if (scenario == "pool") {
    fill_a_pool(file);
  } else if (scenario == "past") {
    schedule_into_the_past(file);
  } else if (scenario.starts_with("cpu")) {
    spin_on(file, std::stoi(std::string(scenario.substr(3))));
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool beats = (argc == 3 || argc == 5) && argv[2] == std::string_view("heartbeat");
  const bool is_late = argc == 4 && argv[2] == std::string_view("late");
  const std::string_view word = argc == 3 ? argv[2] : "";
  const bool others = word == "failing" || word == "idle" || word == "hanging" || word == "full";
  if (argc != 2 && !beats && !others && !is_late) {
    std::fprintf(stderr, "usage: %s FILE [heartbeat [NAME LABEL] | failing | idle | hanging | full | late SCENARIO]\n",
                 argv[0]);
    return 2;
  }
  try {
    if (is_late) return be_late(argv[1], argv[3]) ? 0 : 2;
    if (beats) {
      beat(argv[1], argc == 5 ? argv[3] : "heartbeat", argc == 5 ? argv[4] : "beat");
    } else {
      (word == "failing"   ? fail
       : word == "idle"    ? idle
       : word == "hanging" ? hang
       : word == "full"    ? fill
                           : run)(argv[1]);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
