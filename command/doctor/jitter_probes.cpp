// SPDX-License-Identifier: MIT
#include "doctor/jitter_probes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <system_error>

#include "doctor/idle_costs.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/precise_wait.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

double as_number(std::int64_t ns) { return static_cast<double>(ns); }

}  // namespace

finding cost_of_clock_reading() {
  const std::string subject = "cost of reading the clock";
  constexpr int readings = 200'000, rounds = 5;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const time_point began = clock::now();
    time_point last = began;
    for (int i = 0; i < readings; ++i) last = clock::now();
    best = std::min(best, as_number((last - began).count()) / readings);
  }
  if (best <= 100) return {subject, severity::fine, time_text(best)};
  return {subject,
          severity::warning,
          time_text(best),
          {},
          "the clock is not read in user space; the worker reads it for every batch and every callback",
          "see the clock source"};
}

finding slack_obtained(bool accepted, long long nanoseconds) {
  const std::string subject = "setting the timer slack";
  const std::string measured =
      accepted ? fmt::format("asked for 1 ns, got {}", time_text(as_number(nanoseconds))) : std::string("refused");
  if (accepted && nanoseconds <= 1) return {subject, severity::fine, measured};
  return {subject,
          severity::bad,
          measured,
          {},
          "the kernel lets each sleep of a worker end up to 50 us too late, or as much as its timer slack is",
          "a sandbox or a seccomp filter keeps prctl(PR_SET_TIMERSLACK) from working: allow it, or use busy()"};
}

finding slack_request() {
  const bool accepted = ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  return slack_obtained(accepted, ::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL));
}

finding default_clock() {
  const std::string subject = "clock of an engine";
  failure problem;
  const std::optional<engine> made = engine::try_create({.drive = drive_kind::caller}, problem);
  if (!made) return {subject, severity::unknown, fmt::format("no engine can be made: {}", problem.message())};
  const clock_report seen = made->metrics().clock;
  if (*seen.reason == '\0') return {subject, severity::fine, seen.name};
  return {subject,
          severity::note,
          fmt::format("{}: {}", seen.name, seen.reason),
          {},
          "by default, an engine uses the TSC if it can; with the steady clock, each call with a delay costs more",
          "see TSC and clock source; nothing fires early or later for it"};
}

finding clock_steering() {
  timex reported = {};  // without modes, adjtimex() changes nothing
  if (::adjtimex(&reported) < 0) {
    return {"clock steering", severity::unknown, fmt::format("not visible here (adjtimex: {})", std::strerror(errno))};
  }
  return steering_by(reported);
}

finding steering_by(const timex& reported) {
  const std::string subject = "clock steering";
  constexpr double allowed = 500, frequency_unit = 65536;
  const double usual_tick = 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  // The kernel's phase-locked loop corrects a share of the remaining offset within a second.
  const double left = static_cast<double>(reported.offset) / ((reported.status & STA_NANO) != 0 ? 1e3 : 1.0);
  const double loop =
      (reported.status & STA_PLL) != 0 ? std::ldexp(left, -2 - static_cast<int>(reported.constant)) : 0.0;
  const double ppm = static_cast<double>(reported.freq) / frequency_unit +
                     (static_cast<double>(reported.tick) - usual_tick) / usual_tick * 1e6 + loop;
  const std::string seen = fmt::format("{:+.3g} ppm{}", ppm + 0.0,
                                       (reported.status & STA_UNSYNC) != 0 ? "; not known to be synchronised" : "");
  if (std::abs(ppm) <= allowed) return {subject, severity::fine, seen};
  return {
      subject,
      severity::warning,
      seen,
      {},
      "CLOCK_MONOTONIC is slewed. Where that begins or ends by more than 500 ppm at once, an engine by the TSC can end "
      "delays early that begin within the next 0.1 ms, by what the slew makes of that; then it reads the steady "
      "clock, at its price, until the rate has been even for a second",
      "chrony: maxslewrate 500 in chrony.conf, and makestep for what would take too long; or stay with "
      "clock_kind::steady"};
}

finding oversleep(duration length) {
  const std::string subject = "oversleep, timer slack 1 ns";
  set_fine_timer_slack();
  const lateness_log late = sleeps_of(std::chrono::microseconds(500), length);
  const std::string measured = fmt::format("p50 {}, p99 {}, max {}", time_text(as_number(late.percentile(50))),
                                           time_text(as_number(late.percentile(99))), time_text(as_number(late.max())));
  if (late.percentile(99) <= 150'000) return {subject, severity::fine, measured};
  return {subject,
          severity::warning,
          measured,
          {},
          "a sleeping thread wakes up late here, by more than hybrid() spins by default",
          "hybrid() with a max_spin of about the p99; pin the worker to a quiet CPU; keep it out of deep idle states: "
          "engine_options::cpu_latency_limit, or cpupower idle-set -D 10"};
}

finding longest_pause(duration length) {
  const std::string subject = fmt::format("longest pause in {} of spinning", time_text(as_number(length.count())));
  time_point last = clock::now();
  const time_point until = last + length;
  duration longest(0);
  while (last < until) {
    const time_point now = clock::now();
    longest = std::max(longest, now - last);
    last = now;
  }
  const std::string measured = time_text(as_number(longest.count()));
  if (longest <= std::chrono::microseconds(100)) return {subject, severity::fine, measured};
  return {subject,
          longest >= std::chrono::milliseconds(10) ? severity::bad : severity::warning,
          measured,
          {},
          "something took the CPU away from a running thread, as it would from a worker without its own CPU",
          "isolate a CPU for the worker, move interrupts off it, and on a virtual machine ask for dedicated CPUs"};
}

std::vector<finding> measure_jitter(duration length) {
  return {cost_of_clock_reading(),
          slack_request(),
          default_clock(),
          clock_steering(),
          oversleep(std::min<duration>(length, std::chrono::seconds(1))),
          cost_of_idle_states(std::min<duration>(length, std::chrono::seconds(1))),
          longest_pause(length)};
}

}  // namespace detent::tool
