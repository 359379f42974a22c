// SPDX-License-Identifier: MIT
// own_races NUMBER: a program with one race of its own, which ThreadSanitizer must report though it sees nothing of the
// library: what is not ordered must not seem to be. Without a number it says how many there are.
#include <detent/timer_group.hpp>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

// Like the flags below it does not lie on the stack, whose memory the library uses as well once a function has
// returned: a flag that is raised as the last act of a callback would then race with that.
int shared_by_all = 0;

std::shared_ptr<detent::executor> two_threads() {
  return std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2});
}

void written_after_the_schedule_call(detent::engine& engine) {
  static untold_flag written, ran;
  engine.schedule_after(0ns, [&] {
    written.await();
    if (shared_by_all == 1) ran.raise();
  });
  shared_by_all = 1;
  written.raise();
  ran.await();
}

void written_after_the_restart(detent::engine& engine) {
  static untold_flag written, ran;
  detent::timer moved = engine.schedule_after(1h, [&] {
    written.await();
    if (shared_by_all == 1) ran.raise();
  });
  moved.restart_after(0ns);
  shared_by_all = 1;
  written.raise();
  ran.await();
}

void read_without_waiting_for_the_run(detent::engine& engine) {
  static untold_flag ran;
  engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    ran.raise();
  });
  ran.await();
  EXPECT(shared_by_all == 1);
}

// A timer that is not pending may still be running.
void read_because_nothing_was_pending(detent::engine& engine) {
  static untold_flag wrote;
  engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
  });
  wrote.await();
  wait_for([&] { return engine.pending() == 0; });
  EXPECT(shared_by_all == 1);
}

// `running` and `gone` order nothing.
void read_after_a_cancel_that_came_too_late(detent::engine& engine) {
  static untold_flag wrote, reported;
  detent::timer runs = engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
    reported.await();
  });
  wrote.await();
  EXPECT(runs.cancel() == detent::cancel_result::running);
  EXPECT(shared_by_all == 1);
  reported.raise();
}

// Waiting for one timer orders nothing that another did.
void waited_for_another_timer(detent::engine&) {
  detent::engine engine({.executor = two_threads()});
  static untold_flag other_ran, wrote;
  detent::timer one = engine.schedule_after(0ns, [&] { wrote.await(); });
  engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
    other_ran.await();
  });
  one.cancel_and_wait();
  wrote.await();
  EXPECT(shared_by_all == 1);
  other_ran.raise();
}

void two_callbacks_on_two_threads(detent::engine&) {
  detent::engine engine({.executor = two_threads()});
  static untold_flag one, other;
  engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    one.raise();
    other.await();
  });
  engine.schedule_after(0ns, [&] {
    one.await();
    shared_by_all = 2;
    other.raise();
  });
  other.await();
}

void two_threads_that_schedule(detent::engine& engine) {
  engine.schedule_after(0ns, [] {});  // a thread's first call takes a lock, which the sanitizer sees
  static untold_flag one;
  std::thread other([&] {
    shared_by_all = 1;
    engine.schedule_after(0ns, [] {});
    one.raise();
  });
  one.await();
  engine.schedule_after(0ns, [] {});
  shared_by_all = 2;
  other.join();
}

void a_group_cancelled_without_waiting(detent::engine& engine) {
  detent::timer_group group(engine);
  static untold_flag wrote, reported;
  group.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
    reported.await();
  });
  wrote.await();
  group.cancel_all();
  EXPECT(shared_by_all == 1);
  reported.raise();
}

void waited_for_another_group(detent::engine& engine) {
  detent::timer_group group(engine), another(engine);
  static untold_flag wrote, reported;
  another.schedule_after(0ns, [] {});
  group.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
    reported.await();
  });
  wrote.await();
  another.cancel_all_and_wait();
  EXPECT(shared_by_all == 1);
  reported.raise();
}

void an_engine_of_another(detent::engine& engine) {
  static untold_flag wrote, reported;
  engine.schedule_after(0ns, [&] {
    shared_by_all = 1;
    wrote.raise();
    reported.await();
  });
  wrote.await();
  {
    detent::engine another;
    another.schedule_after(0ns, [] {});
    another.stop();
  }
  EXPECT(shared_by_all == 1);
  reported.raise();
}

void (*const races[])(detent::engine&) = {written_after_the_schedule_call,
                                          written_after_the_restart,
                                          read_without_waiting_for_the_run,
                                          read_because_nothing_was_pending,
                                          read_after_a_cancel_that_came_too_late,
                                          waited_for_another_timer,
                                          two_callbacks_on_two_threads,
                                          two_threads_that_schedule,
                                          a_group_cancelled_without_waiting,
                                          waited_for_another_group,
                                          an_engine_of_another};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("%zu\n", std::size(races));
    return 0;
  }
  const std::size_t which = std::strtoul(argv[1], nullptr, 10);
  EXPECT(which < std::size(races));
  detent::engine engine;
  races[which](engine);
}
