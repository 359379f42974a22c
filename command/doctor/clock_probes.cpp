// SPDX-License-Identifier: MIT
#include "doctor/clock_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

const std::string current_file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const std::string available_file = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
const std::string command_line_file = "/proc/cmdline";

// Returns the text after "NAME :" in the first line with that name, as in /proc/cpuinfo.
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

// Returns the hypervisor whose clock this is, or an empty text. The vDSO reads such a clock without a system call.
std::string_view hypervisor_of(std::string_view source) {
  if (source == "kvm-clock") return "KVM";
  if (source == "hyperv_clocksource_tsc_page") return "Hyper-V";
  return "";
}

// Returns the last word of the kernel's command line that begins with one of `beginnings`; the kernel uses the last,
// too. Returns an empty text if there is none or the line cannot be read.
std::string boot_option(const host_files& host, std::initializer_list<std::string_view> beginnings) {
  const std::string line = host.read(command_line_file).value_or("");
  std::string last;
  for (const std::string_view word : words_of(line)) {
    if (word == "--") break;  // the rest is for init
    for (const std::string_view each : beginnings)
      if (word.starts_with(each) && (each.ends_with('=') || word == each)) last = word;
  }
  return last;
}

// Says which boot option or hypervisor keeps the kernel from using the TSC.
std::string option_against_tsc(const host_files& host) {
  const std::string said = boot_option(host, {"tsc=", "notsc"});
  return said == "notsc" || said == "tsc=unstable" ? said : "";
}

// Returns the cure for a slow clock source.
std::string better_source(const host_files& host, const std::string& current) {
  const std::string available = host.read(available_file).value_or("");
  const std::string chosen = boot_option(host, {"clocksource="});
  const std::string lasting = chosen == "clocksource=" + current
                                  ? fmt::format("; the kernel's command line chose it: {}", in_quotes(chosen))
                                  : "";
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page"})
    if (has_word(available, fast)) return fmt::format("echo {} > {}{}", fast, current_file, lasting);
  if (const std::string option = option_against_tsc(host); !option.empty()) {
    return fmt::format("boot without {}, which is on the kernel's command line and takes the TSC away", option);
  }
  return "the kernel offers no better one: dmesg | grep -i -e tsc -e clocksource says why; prefer a host where it does";
}

// Judges a kernel that does not offer the TSC of a CPU on which it is invariant.
finding dropped_tsc(const host_files& host, const std::string& subject, const std::string& available) {
  const std::string current = host.read(current_file).value_or("");
  const std::string_view hypervisor = hypervisor_of(current);
  const bool fast = !hypervisor.empty();
  const std::string meaning =
      fast ? fmt::format("engines run by the steady clock, which is read from {} without a system call", current)
           : "engines run by the steady clock, each reading of which is slow now";
  if (const std::string option = option_against_tsc(host); !option.empty()) {
    return {subject,
            fast ? severity::note : severity::bad,
            fmt::format("not in use: the kernel was booted with {}", option),
            command_line_file,
            meaning,
            fmt::format("boot without {}, unless it is there because this machine's TSC was seen to be wrong", option)};
  }
  if (fast) {
    return {subject,
            severity::note,
            fmt::format("not in use: the kernel goes by the clock of {} and does not offer the TSC", hypervisor),
            available_file,
            meaning,
            "none is needed; where the hypervisor promises its guests an invariant TSC, the kernel offers it as well"};
  }
  return {subject,
          severity::bad,
          fmt::format("gone unstable: the CPU calls it invariant, the kernel has dropped it and offers {}", available),
          available_file,
          "the TSC was seen to run apart from another clock, or between CPUs. The steady clock falls back to a slow "
          "source, engines run by it, and one with clock_kind::tsc would fire at wrong times",
          "dmesg | grep -i tsc says why; update the firmware; where the watchdog was wrong, boot with tsc=reliable"};
}

}  // namespace

finding clock_source(const host_files& host) {
  const std::string subject = "clock source";
  const auto current = host.read(current_file);
  if (!current) return not_visible(subject, current_file);
  if (words_of(*current).size() != 1) return not_understood(subject, current_file, *current);
  if (*current == "tsc" || *current == "arch_sys_counter") return {subject, severity::fine, *current, current_file};
  if (const auto hypervisor = hypervisor_of(*current); !hypervisor.empty()) {
    return {subject, severity::fine, fmt::format("{}, the clock that {} keeps for its guests", *current, hypervisor),
            current_file};
  }
  return {subject,
          severity::bad,
          in_quotes(*current),
          current_file,
          "each reading of the clock is a system call or a slow device; the worker reads it for every batch and every "
          "callback",
          better_source(host, *current)};
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
  const bool by_hypervisor = !hypervisor_of(host.read(current_file).value_or("")).empty();
  for (const char* wanted : {"constant_tsc", "nonstop_tsc"}) {
    if (has_word(*flags, wanted)) continue;
    return {subject,
            by_hypervisor ? severity::note : severity::warning,
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
  return dropped_tsc(host, subject, *available);
}

}  // namespace detent::tool
