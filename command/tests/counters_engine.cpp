// SPDX-License-Identifier: MIT
// A program with an engine that leaves its counters in a file:  counters_engine FILE [heartbeat [NAME LABEL] | failing]
// Runs 300 timers under a label and 40 without, and cancels 50; or begins to run one each 10 ms; or runs 100 that
// throw. Says on standard output "ready", and waits until standard input ends; then the engine does.
#include <detent/detent.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
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

// From both threads of a pool.
void fail(const char* file) {
  detent::engine engine({.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2}),
                         .on_error = [](std::exception_ptr) {},
                         .counters_file = file});
  for (int i = 0; i < 100; ++i)
    engine.schedule_after(detent::duration(i), [] { throw std::runtime_error("no route to host"); });
  while (engine.metrics().failed < 100) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
}

void run(const char* file) {
  detent::engine engine({.name = "two words", .counters_file = file});
  const detent::label retry = engine.make_label("retry \"3\"");
  detent::timer_options labelled;
  labelled.label = retry;
  for (int i = 0; i < 300; ++i)
    engine.schedule_after(
        1ms, [] { std::this_thread::sleep_for(20us); }, labelled);  // so long the file says that they take
  for (int i = 0; i < 40; ++i) engine.schedule_after(2ms, [] {});
  std::vector<detent::timer> kept;
  for (int i = 0; i < 60; ++i) kept.push_back(engine.schedule_after(1h, [] {}));
  for (int i = 0; i < 50; ++i) kept[static_cast<std::size_t>(i)].cancel();
  while (engine.metrics().expired < 340) std::this_thread::sleep_for(1ms);
  wait_for_the_end();
}

}  // namespace

int main(int argc, char** argv) {
  const bool beats = (argc == 3 || argc == 5) && argv[2] == std::string_view("heartbeat");
  const bool fails = argc == 3 && argv[2] == std::string_view("failing");
  if (argc != 2 && !beats && !fails) {
    std::fprintf(stderr, "usage: %s FILE [heartbeat [NAME LABEL] | failing]\n", argv[0]);
    return 2;
  }
  try {
    beats   ? beat(argv[1], argc == 5 ? argv[3] : "heartbeat", argc == 5 ? argv[4] : "beat")
    : fails ? fail(argv[1])
            : run(argv[1]);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
