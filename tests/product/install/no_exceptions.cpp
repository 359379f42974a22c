// SPDX-License-Identifier: MIT
// Built with -fno-exceptions -fno-rtti: the try_ forms are all a program needs.
#include <detent/detent.hpp>

#include <atomic>
#include <optional>

#include "expect.hpp"

using namespace std::chrono_literals;

// Returns whether the sentence begins with these words.
bool says(const detent::failure& problem, const char* words) { return problem.message().rfind(words, 0) == 0; }

int main() {
  std::atomic<int> once{0}, beats{0};
  detent::failure problem;
  EXPECT(!detent::engine::try_create({.tick = -1ns}, problem) && problem == detent::errc::invalid_option);
  EXPECT(problem.message() == "engine \"detent\": tick = -1 ns: must be at least 1 ns");
  EXPECT(!detent::engine::try_create({.name = "gateway", .counters_file = "/nonexistent/x"}, problem));
  EXPECT(says(problem, "engine \"gateway\": counters_file = \"/nonexistent/x\": "));

  std::optional<detent::engine> engine = detent::engine::try_create({.max_pending = 3}, problem);
  EXPECT(engine && !problem);
  detent::timer soon = engine->try_schedule_after(1us, [&] { ++once; });
  detent::timer beat = engine->try_schedule_at_fixed_rate(0ns, 1us, [&] { ++beats; });
  EXPECT(soon && beat);
  wait_for([&] { return once == 1 && beats >= 3; });
  beat.cancel_and_wait();

  detent::timer pause = engine->try_schedule_with_fixed_delay(1h, 1h, [] {});
  detent::timer at = engine->try_schedule_at(detent::clock::now() + 1h, [] {});
  detent::timer last = engine->try_schedule_after(1h, [] {});
  EXPECT(pause && at && last);
  const detent::timer full = engine->try_schedule_after(1h, [] {});
  EXPECT(!full && full.error() == detent::errc::capacity_exceeded);
  EXPECT(says(full.error(), "engine \"detent\": max_pending = 3: that many timers are pending; "));
  const detent::timer wrong = engine->try_schedule_after(1h, [] {}, {.lane = 9});
  EXPECT(!wrong && says(wrong.error(), "engine \"detent\": lane = 9: must be 0 to 3"));
  EXPECT(!engine->try_schedule_at_fixed_rate(0ns, 0ns, [] {}));
  EXPECT(last.cancel() == detent::cancel_result::cancelled && at.restart_after(2h));
  EXPECT(engine->try_stop(problem).size() == 2 && !problem);
}
