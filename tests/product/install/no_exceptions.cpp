// SPDX-License-Identifier: MIT
// Built with -fno-exceptions -fno-rtti: the try_ forms are all a program needs.
#include <detent/detent.hpp>

#include <atomic>
#include <optional>
#include <system_error>

#include "expect.hpp"

using namespace std::chrono_literals;

int main() {
  std::atomic<int> once{0}, beats{0};
  std::error_code problem;
  EXPECT(!detent::engine::try_create({.tick = -1ns}, problem) && problem == detent::errc::invalid_option);

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
  EXPECT(pause && at && last && !engine->try_schedule_after(1h, [] {}));
  EXPECT(!engine->try_schedule_at_fixed_rate(0ns, 0ns, [] {}));
  EXPECT(last.cancel() == detent::cancel_result::cancelled && at.restart_after(2h));
  EXPECT(engine->try_stop(problem).size() == 2 && !problem);
}
