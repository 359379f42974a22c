// SPDX-License-Identifier: MIT
// What does not compile, a statement a line; the comment has words of the sentence that says why
// (does_not_compile_test.py). Each wrong type occurs once, as compilers explain each once.
#include <detent/coroutine.hpp>
#include <detent/detent.hpp>

#include <chrono>
#include <ratio>

namespace {

template <int n>
using fraction = std::chrono::duration<double, std::ratio<1, n>>;
template <int n>
using wall = std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<long, std::ratio<1, n>>>;
template <int n>
struct number {};

void f() {}

void delays(detent::engine& e, detent::timer_group& g, detent::timer t, detent::firing& run) {
  using namespace std::chrono_literals;
  e.schedule_after(0.5s, f);                                       // write 500ms for 0.5s
  e.schedule_after(fraction<1000>(1), f, {.lane = 1});             // write 500ms for 0.5s
  e.schedule_after(fraction<1001>(1), std::stop_token(), f);       // write 500ms for 0.5s
  e.schedule_at_fixed_rate(fraction<1002>(1), 1ms, f);             // write 500ms for 0.5s
  e.schedule_at_fixed_rate(1ms, fraction<1003>(1), f);             // write 500ms for 0.5s
  e.schedule_with_fixed_delay(1ms, fraction<1004>(1), f);          // write 500ms for 0.5s
  e.try_schedule_after(fraction<1005>(1), f);                      // write 500ms for 0.5s
  e.try_schedule_at_fixed_rate(1ms, fraction<1006>(1), f);         // write 500ms for 0.5s
  e.try_schedule_with_fixed_delay(fraction<1007>(1), 1ms, f);      // write 500ms for 0.5s
  static_cast<void>(e.sleep_for(fraction<1008>(1)));               // write 500ms for 0.5s
  g.schedule_after(fraction<1009>(1), f);                          // write 500ms for 0.5s
  g.schedule_at_fixed_rate(1ms, fraction<1010>(1), f);             // write 500ms for 0.5s
  g.schedule_with_fixed_delay(1ms, fraction<1011>(1), f);          // write 500ms for 0.5s
  g.try_schedule_after(fraction<1012>(1), f);                      // write 500ms for 0.5s
  t.restart_after(fraction<1013>(1));                              // write 500ms for 0.5s
  run.rearm_after(fraction<1014>(1));                              // write 500ms for 0.5s
  detent::manual_clock().advance(fraction<1015>(1));               // write 500ms for 0.5s
  e.drain_for(fraction<1016>(1));                                  // write 500ms for 0.5s
  detent::scoped_timer(t).restart_after(fraction<1017>(1));        // write 500ms for 0.5s
  e.schedule_after(std::chrono::duration<long, std::pico>(1), f);  // write 500ms for 0.5s
  e.schedule_after(500, f);                                        // write 5ms for 5
  e.schedule_after(e.now(), f);                                    // a time_point goes to schedule_at()
}

void deadlines(detent::engine& e, detent::timer_group& g, detent::timer t, detent::firing& run) {
  using namespace std::chrono_literals;
  e.schedule_at(std::chrono::system_clock::now() + 1s, f);  // there is detent::calendar
  e.schedule_at(wall<1000>(), f, {.lane = 1});              // there is detent::calendar
  e.try_schedule_at(wall<1001>(), f);                       // there is detent::calendar
  static_cast<void>(e.sleep_until(wall<1002>()));           // there is detent::calendar
  g.schedule_at(wall<1003>(), f);                           // there is detent::calendar
  g.try_schedule_at(wall<1004>(), f);                       // there is detent::calendar
  t.restart_at(wall<1005>());                               // there is detent::calendar
  run.rearm_at(wall<1006>());                               // there is detent::calendar
  e.schedule_at(e.now() + 0.5s, f);                         // round it up by std::chrono::ceil
  e.schedule_at(1ms, f);                                    // a duration goes to schedule_after()
  e.schedule_at(number<0>(), f);                            // such as engine.now() + 5ms
}

void options(detent::failure& problem) {
  detent::engine({.tick = 5});                                   // engine_options::tick is a duration
  detent::engine({.name = 7, .reserve = 64});                    // engine_options::name is a string
  detent::engine({.cpu = "0"});                                  // engine_options::cpu is a CPU's number
  detent::engine({.memory = {.lock = true}});                    // memory_options::lock is a detent::preference
  detent::engine({.wait = detent::wait_options::busy});          // engine_options::wait is a detent::wait_options
  detent::engine e({.drive = detent::wheel_kind::hashed});       // engine_options::drive is a detent::drive_kind
  detent::engine::try_create({.max_pending = "many"}, problem);  // engine_options::max_pending is a whole number
}

}  // namespace
