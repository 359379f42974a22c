// SPDX-License-Identifier: MIT
#include "doctor/machine_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace detent::tool {
namespace {

// Smaller differences come from the two clocks' own jitter, and from delays of the reader.
constexpr std::int64_t least_suspend = 50'000'000, least_delay = 500'000'000;

std::int64_t read_clock(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

machine_clocks machine_clocks::read(const host_files& host) {
  machine_clocks out{.monotonic = read_clock(CLOCK_MONOTONIC), .since_boot = read_clock(CLOCK_BOOTTIME)};
  const std::string times = host.read("/proc/thread-self/schedstat").value_or("");
  if (const auto words = words_of(times); words.size() == 3) out.waited = number_in(words[1]);
  return out;
}

void machine_watch::look(const machine_clocks& now, std::int64_t expected, const host_files& host) {
  if (looked_) {
    const std::int64_t length = now.monotonic - last_.monotonic;
    const std::int64_t suspended = now.since_boot - last_.since_boot - length;
    // A busy machine delays this thread as well. Without its waiting time, only a suspend can be recognized.
    const std::int64_t waited = now.waited && last_.waited ? std::max<std::int64_t>(*now.waited - *last_.waited, 0) : 0;
    const std::int64_t delay = now.waited ? length - expected - waited : 0;
    const std::int64_t halt = (suspended >= least_suspend ? suspended : 0) + (delay >= least_delay ? delay : 0);
    halted_ += halt;
    if (halt != 0) longest_ = halt;
  }
  last_ = now;
  looked_ = true;
  const std::string processors = host.read("/proc/stat").value_or("");
  for (const std::string_view line : lines_of(processors)) {
    constexpr std::size_t steal = 8;
    constexpr std::int64_t tick = 10'000'000;
    const auto words = words_of(line);
    if (words.size() <= steal || !words[0].starts_with("cpu") || words[0] == "cpu") continue;
    const auto cpu = number_in(words[0].substr(3)), stolen = number_in(words[steal]);
    if (cpu && stolen) stolen_[static_cast<int>(*cpu)] = *stolen * tick;
  }
}

std::int64_t machine_watch::stolen_from(int cpu) const {
  const auto found = stolen_.find(cpu);
  return found == stolen_.end() ? 0 : found->second;
}

}  // namespace detent::tool
