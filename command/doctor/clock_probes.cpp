// SPDX-License-Identifier: MIT
#include "doctor/clock_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

const std::string current_file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const std::string available_file = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

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
  const auto current = host.read(current_file);
  if (!current) return not_visible(subject, current_file);
  if (words_of(*current).size() != 1) return not_understood(subject, current_file, *current);
  for (const char* fast : {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}) {
    if (*current == fast) return {subject, severity::fine, *current, current_file};
  }
  const bool has_tsc = has_word(host.read(available_file).value_or(""), "tsc");
  return {subject,
          severity::bad,
          in_quotes(*current),
          current_file,
          "each reading of the clock is a system call or a slow device; the worker reads it for every batch and every "
          "callback",
          has_tsc ? fmt::format("echo tsc > {}", current_file)
                  : "the kernel offers no better one: dmesg | grep -i -e tsc -e clocksource says why; prefer a host "
                    "where it does"};
}

finding time_stamp_counter(const host_files& host) {
  const std::string subject = "TSC", cpuinfo_file = "/proc/cpuinfo";
  const auto cpuinfo = host.read(cpuinfo_file);
  if (!cpuinfo) return not_visible(subject, cpuinfo_file);
  const auto flags = property(*cpuinfo, "flags");
  if (!flags) {
    if (property(*cpuinfo, "CPU architecture") == " 8") {
      return {subject, severity::fine, "not an x86; the counter of this architecture is invariant", cpuinfo_file};
    }
    return not_understood(subject, cpuinfo_file, *cpuinfo);
  }
  for (const char* wanted : {"constant_tsc", "nonstop_tsc"}) {
    if (has_word(*flags, wanted)) continue;
    return {subject,
            severity::warning,
            fmt::format("the CPU has no {}", wanted),
            cpuinfo_file,
            "its rate changes, or it stops, with the CPU's states: engines run by the steady clock, and one with "
            "clock_kind::tsc is refused",
            "a virtual machine can be given it: qemu -cpu host,+invtsc"};
  }
  const auto available = host.read(available_file);
  if (!available) return not_visible(subject, available_file);
  if (available->empty()) return not_understood(subject, available_file, *available);
  if (has_word(*available, "tsc"))
    return {subject, severity::fine, "invariant, and trusted by the kernel", available_file};
  return {subject,
          severity::bad,
          fmt::format("gone unstable: the CPU calls it invariant, the kernel has dropped it and offers {}", *available),
          available_file,
          "the TSC was seen to run apart from another clock, or between CPUs. The steady clock falls back to a slow "
          "source, engines run by it, and one with clock_kind::tsc would fire at wrong times",
          "dmesg | grep -i tsc says why; update the firmware; where the watchdog was wrong, boot with tsc=reliable"};
}

}  // namespace detent::tool
