// SPDX-License-Identifier: MIT
// Replaces clock_gettime and its kin in the test program that links this, and keeps the kernel's view of futex timeouts
// in step. Not for sanitized builds, which replace the former themselves.
#include "hostile/faked_clocks.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <atomic>
#include <cstdarg>
#include <ctime>
#include <deque>

namespace detent::hostile {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t running = INT64_MIN;
std::atomic<std::int64_t> steady_offset{0}, frozen_at{running}, wall_offset{0};
std::atomic<std::uint64_t> wall_readings{0};

// The time that was gained, and the rate of gain from a moment on. Replaced as a whole, because other threads read it.
struct slew {
  std::int64_t gained, from, ppm;
  std::int64_t at(std::int64_t kernel_ns) const noexcept { return gained + (kernel_ns - from) * ppm / 1'000'000; }
};
constexpr slew none{0, 0, 0};
std::atomic<const slew*> slewing{&none};

// The C library's own, which the one below stands in front of.
using system_call = long (*)(long, ...);
system_call kernel() noexcept {
  static const auto real = reinterpret_cast<system_call>(dlsym(RTLD_NEXT, "syscall"));
  return real;
}

std::int64_t kernel_time(clockid_t clock) noexcept {
  timespec now{};
  kernel()(SYS_clock_gettime, clock, &now);
  return now.tv_sec * second + now.tv_nsec;
}

std::int64_t bent_time(clockid_t clock) noexcept {
  if (clock == CLOCK_MONOTONIC) {
    const std::int64_t frozen = frozen_at.load();
    if (frozen != running) return frozen;
    for (;;) {
      const slew* gains = slewing.load();
      const std::int64_t now = kernel_time(clock);
      if (slewing.load() == gains) return now + gains->at(now) + steady_offset.load();
    }
  }
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    ++wall_readings;
    return kernel_time(clock) + wall_offset.load();
  }
  return kernel_time(clock);
}

}  // namespace

void freeze_steady_clock() noexcept { frozen_at.store(bent_time(CLOCK_MONOTONIC)); }
void thaw_steady_clock() noexcept {
  const std::int64_t now = kernel_time(CLOCK_MONOTONIC);
  steady_offset.store(frozen_at.load() - now - slewing.load()->at(now));
  frozen_at.store(running);
}
void jump_steady_clock(std::chrono::nanoseconds forward) noexcept { steady_offset.fetch_add(forward.count()); }
void slew_steady_clock(int ppm) {
  static std::deque<slew> all;  // each may be in use
  const std::int64_t now = kernel_time(CLOCK_MONOTONIC);
  slewing.store(&all.emplace_back(slew{slewing.load()->at(now), now, ppm}));
}
void step_wall_clock(std::chrono::nanoseconds by) noexcept { wall_offset.fetch_add(by.count()); }
std::uint64_t wall_clock_readings() noexcept { return wall_readings.load(); }

}  // namespace detent::hostile

extern "C" {
using namespace detent::hostile;

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const std::int64_t time = bent_time(clock);
  *now = {time / second, time % second};
  return 0;
}
int gettimeofday(timeval* __restrict now, void* __restrict) noexcept {
  const std::int64_t time = bent_time(CLOCK_REALTIME);
  *now = {time / second, time % second / 1000};
  return 0;
}
time_t time(time_t* now) noexcept {
  const time_t seconds = bent_time(CLOCK_REALTIME) / second;
  if (now != nullptr) *now = seconds;
  return seconds;
}

// A futex waits for a time by the bent clock: the kernel, which has the other, is passed what that means to it.
long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long a[6];
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  timespec moved{};
  const bool timed = number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && a[3] != 0;
  if (timed) {
    const auto* asked = reinterpret_cast<const timespec*>(a[3]);
    const std::int64_t left = asked->tv_sec * second + asked->tv_nsec - bent_time(CLOCK_MONOTONIC);
    std::int64_t until = kernel_time(CLOCK_MONOTONIC) + (left > 0 ? left : 0);
    moved = {until / second, until % second};
    a[3] = reinterpret_cast<long>(&moved);
  }
  return kernel()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
