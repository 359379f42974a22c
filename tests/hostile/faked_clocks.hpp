// SPDX-License-Identifier: MIT
// The C library's clocks, bent: what the program reads of CLOCK_MONOTONIC and of the wall clock is what a test decides.
// The hooks are in faked_clocks.cpp.
#pragma once

#include <chrono>
#include <cstdint>

namespace detent::hostile {

// CLOCK_MONOTONIC is paused from now on, as it does while a machine is suspended; the processor's counter goes on.
void freeze_steady_clock() noexcept;
// And goes on from where it stood.
void thaw_steady_clock() noexcept;
// From now on it is later by so much.
void jump_steady_clock(std::chrono::nanoseconds forward) noexcept;

// From now on it goes faster by so many parts per million, as while a daemon slews it; negative: slower. For one
// thread.
void slew_steady_clock(int ppm);

// The wall clock is off by so much from now on; either way.
void step_wall_clock(std::chrono::nanoseconds by) noexcept;
// How often anybody has read the wall clock.
std::uint64_t wall_clock_readings() noexcept;

}  // namespace detent::hostile
