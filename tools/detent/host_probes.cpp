// SPDX-License-Identifier: MIT
#include "host_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "cpu_quota.hpp"
#include "units.hpp"

namespace detent::tool {
namespace {

// The words after "NAME :" in the first line of that name, as /proc/cpuinfo has them.
std::optional<std::string> property(const std::string& text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        line.substr(name.size(), colon - name.size()).find_first_not_of(" \t") != std::string_view::npos) {
      continue;
    }
    return std::string(line.substr(colon + 1));
  }
  return std::nullopt;
}

bool has_word(const std::string& text, std::string_view word) {
  const auto words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

finding clock_source(const host_files& host) {
  const std::string subject = "clock source";
  const std::string directory = "/sys/devices/system/clocksource/clocksource0/";
  const auto current = host.read(directory + "current_clocksource");
  if (!current || current->empty()) return not_visible(subject);
  const std::string others = host.read(directory + "available_clocksource").value_or("");
  for (const char* fast : {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}) {
    if (*current == fast) return fine(subject, *current);
  }
  return act(
      subject, *current,
      has_word(others, "tsc")
          ? fmt::format("each reading of the clock is a system call or worse: echo tsc > {}current_clocksource",
                        directory)
          : "each reading of the clock is a system call or worse; the kernel found the TSC unusable (dmesg says why): "
            "prefer a host where it is");
}

finding invariant_tsc(const host_files& host) {
  const std::string subject = "invariant TSC";
  const auto cpuinfo = host.read("/proc/cpuinfo");
  if (!cpuinfo) return not_visible(subject);
  if (const auto flags = property(*cpuinfo, "flags")) {
    if (has_word(*flags, "constant_tsc") && has_word(*flags, "nonstop_tsc")) return fine(subject, "yes");
    return act(subject, "no", "clock_kind::tsc will be refused: stay with the steady clock");
  }
  if (property(*cpuinfo, "CPU architecture") == " 8")
    return fine(subject, "not an x86; the counter of this architecture is invariant");
  return not_visible(subject);
}

finding timer_slack(const host_files& host) {
  const std::string subject = "timer slack";
  const auto text = host.read("/proc/self/timerslack_ns");
  const auto slack = text ? number_in(*text) : std::nullopt;
  if (!slack) return not_visible(subject);
  return fine(subject, *slack <= 1 ? fmt::format("{} ns", *slack)
                                   : fmt::format("{} by default; an engine's worker sets its own to 1 ns",
                                                 time_text(static_cast<double>(*slack))));
}

finding frequency_governor(const host_files& host) {
  const std::string subject = "CPU frequency governor";
  std::map<std::string, int> governors;
  for (const auto& [cpu, governor] : host.of_each_cpu("cpufreq/scaling_governor")) ++governors[governor];
  if (governors.empty()) {
    finding hidden = not_visible(subject);
    hidden.measured += " (on a virtual machine the host decides)";
    return hidden;
  }
  std::string measured;
  for (const auto& [governor, cpus] : governors) {
    measured += fmt::format("{}{} on {} CPU{}", measured.empty() ? "" : ", ", governor, cpus, cpus == 1 ? "" : "s");
  }
  if (governors.size() == 1 && governors.begin()->first == "performance") return fine(subject, measured);
  return act(subject, measured, "a slowed-down core wakes up late: cpupower frequency-set -g performance");
}

finding isolated_cpus(const host_files& host) {
  const std::string subject = "isolated CPUs";
  const auto isolated = host.read("/sys/devices/system/cpu/isolated");
  if (!isolated) return not_visible(subject);
  if (!isolated->empty()) return fine(subject, fmt::format("{}; put the worker there: engine_options::cpu", *isolated));
  return act(subject, "none",
             "other threads and the kernel's own work can delay the worker: boot with isolcpus=N nohz_full=N "
             "rcu_nocbs=N and set "
             "engine_options::cpu to N");
}

finding realtime_throttling(const host_files& host) {
  const std::string subject = "real-time throttling";
  const auto runtime_text = host.read("/proc/sys/kernel/sched_rt_runtime_us");
  const auto runtime = runtime_text ? number_in(*runtime_text) : std::nullopt;
  if (!runtime) return not_visible(subject);
  const auto period_text = host.read("/proc/sys/kernel/sched_rt_period_us");
  const long long period = (period_text ? number_in(*period_text) : std::nullopt).value_or(1'000'000);
  if (*runtime < 0 || *runtime >= period) return fine(subject, "off");
  return act(
      subject,
      fmt::format("a real-time thread may run {} of each {}", time_text(static_cast<double>(*runtime) * 1e3),
                  time_text(static_cast<double>(period) * 1e3)),
      fmt::format(
          "with engine_options::realtime_priority and wait_options::busy() the worker is stopped for {} at a time: use "
          "hybrid(), or sysctl kernel.sched_rt_runtime_us=-1",
          time_text(static_cast<double>(period - *runtime) * 1e3)));
}

finding transparent_huge_pages(const host_files& host) {
  const std::string subject = "transparent huge pages";
  const auto modes = host.read("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!modes) return not_visible(subject);
  const std::size_t open = modes->find('[');
  const std::size_t close = modes->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return not_visible(subject);
  const std::string mode = modes->substr(open + 1, close - open - 1);
  if (mode != "never") return fine(subject, mode);
  return act(subject, mode,
             "millions of timers will miss the TLB: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

finding locked_memory_limit(const host_files& host) {
  const std::string subject = "locked-memory limit";
  constexpr unsigned long long enough = 64ULL << 20;  // a million timers
  const auto limits = host.read("/proc/self/limits");
  if (!limits) return not_visible(subject);
  constexpr std::string_view name = "Max locked memory";
  for (const std::string_view line : lines_of(*limits)) {
    if (!line.starts_with(name)) continue;
    const auto words = words_of(line.substr(name.size()));
    if (words.empty()) break;
    if (words[0] == "unlimited") return fine(subject, "unlimited");
    const auto bytes = number_in(words[0]);
    if (!bytes || *bytes < 0) break;
    const std::string measured = bytes_text(static_cast<std::uint64_t>(*bytes));
    if (static_cast<unsigned long long>(*bytes) >= enough) return fine(subject, measured);
    return act(subject, measured,
               "memory_options::lock cannot keep a million timers in memory: ulimit -l unlimited, or "
               "LimitMEMLOCK=infinity in the "
               "service");
  }
  return not_visible(subject);
}

std::vector<finding> probe_host(const host_files& host) {
  return {clock_source(host),           invariant_tsc(host),       timer_slack(host),
          frequency_governor(host),     isolated_cpus(host),       realtime_throttling(host),
          transparent_huge_pages(host), locked_memory_limit(host), container_quota(host)};
}

}  // namespace detent::tool
