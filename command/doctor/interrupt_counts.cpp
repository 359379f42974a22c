// SPDX-License-Identifier: MIT
#include "doctor/interrupt_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/cpu_list.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

const std::string counts_file = "/proc/interrupts";

std::vector<int> cpus_of_head(std::string_view line) {
  std::vector<int> cpus;
  for (const std::string_view word : words_of(line)) {
    const auto number = word.starts_with("CPU") ? number_in(word.substr(3)) : std::nullopt;
    if (!number || *number < 0 || *number > 1 << 16) return {};
    cpus.push_back(static_cast<int>(*number));
  }
  return cpus;
}

struct arrivals {
  std::uint64_t total = 0;
  std::string text;  // "120 of 36 (virtio1-req.0), ..."
  std::string first;
  void add(const interrupt_line& line, std::uint64_t count) {
    if (total == 0) first = line.name;
    total += count;
    const std::string_view device = line.device;
    const std::string_view last = device.substr(device.find_last_of(' ') + 1);
    text += fmt::format("{}{} of {}{}", text.empty() ? "" : ", ", count, line.name,
                        last.empty() ? "" : fmt::format(" ({})", last));
  }
};

bool of_a_device(const interrupt_line& line) { return number_in(line.name).has_value(); }

}  // namespace

std::optional<interrupt_table> interrupts_in(std::string_view text) {
  const auto lines = lines_of(text);
  if (lines.empty()) return std::nullopt;
  interrupt_table table = {.cpus = cpus_of_head(lines[0]), .lines = {}};
  if (table.cpus.empty()) return std::nullopt;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto name = words_of(lines[i].substr(0, colon));
    if (name.size() != 1) return std::nullopt;
    interrupt_line line = {.name = printable(name[0]), .device = {}, .counts = {}};
    for (const std::string_view word : words_of(lines[i].substr(colon + 1))) {
      const auto count = number_in(word);
      if (line.device.empty() && line.counts.size() < table.cpus.size() && count && *count >= 0) {
        line.counts.push_back(static_cast<std::uint64_t>(*count));
      } else {
        line.device += (line.device.empty() ? "" : " ") + printable(word);
      }
    }
    table.lines.push_back(std::move(line));
  }
  return table;
}

finding interrupts_on(int cpu, const std::optional<std::string>& earlier, const std::optional<std::string>& later,
                      double seconds) {
  const std::string subject = fmt::format("interrupts on CPU {}", cpu);
  if (!later) return not_visible(subject, counts_file);
  const auto now = interrupts_in(*later);
  if (!now) return not_understood(subject, counts_file, *later);
  const auto column = std::find(now->cpus.begin(), now->cpus.end(), cpu) - now->cpus.begin();
  const auto at = static_cast<std::size_t>(column);
  if (at == now->cpus.size()) return {subject, severity::unknown, "has no column for this CPU", counts_file};
  const auto before = earlier ? interrupts_in(*earlier) : std::nullopt;
  if (!before || before->cpus != now->cpus)
    return {subject, severity::unknown, "one reading shows no change", counts_file};

  std::map<std::string, std::uint64_t> counted;
  for (const interrupt_line& line : before->lines) counted[line.name] = at < line.counts.size() ? line.counts[at] : 0;
  arrivals devices, others;
  for (const interrupt_line& line : now->lines) {
    const std::uint64_t count = at < line.counts.size() ? line.counts[at] : 0;
    const auto old = counted.find(line.name);
    const std::uint64_t known = old == counted.end() ? 0 : old->second;
    if (count > known)
      (of_a_device(line) ? devices : others).add({line.name, of_a_device(line) ? line.device : "", {}}, count - known);
  }
  const std::string rest = others.total == 0 ? "" : fmt::format("; besides {}", others.text);
  if (devices.total == 0) return {subject, severity::fine, "none of a device" + rest, counts_file};
  const double rate = seconds > 0 ? static_cast<double>(devices.total) / seconds : 0;
  std::vector<int> elsewhere = now->cpus;
  std::erase(elsewhere, cpu);
  constexpr double often = 100;  // per second
  return {subject,
          rate >= often ? severity::bad : severity::warning,
          devices.text + rest + (rate > 0 ? fmt::format("; {:.3g} a second of devices", rate) : ""),
          counts_file,
          "each takes the CPU from the worker for microseconds, longer with the softirqs it leaves behind",
          elsewhere.empty()
              ? "this host has no other CPU to move them to"
              : fmt::format("echo {} > /proc/irq/{}/smp_affinity_list, likewise the others; irqbalance would move them "
                            "back: IRQBALANCE_BANNED_CPULIST={}",
                            cpu_list_text(elsewhere), devices.first, cpu)};
}

finding interrupt_affinity(const host_files& host, int cpu) {
  const std::string subject = fmt::format("interrupts allowed on CPU {}", cpu);
  const std::string where = "/proc/irq/*/smp_affinity_list";
  std::vector<int> allowed;
  std::optional<std::pair<std::string, std::string>> garbled;
  bool visible = false;
  for (const long long number : host.numbers_in("/proc/irq")) {
    const std::string file = fmt::format("/proc/irq/{}/smp_affinity_list", number);
    const auto text = host.read(file);
    if (!text) continue;
    visible = true;
    const auto cpus = cpus_in(*text);
    if (!cpus) {
      garbled = {file, *text};
    } else if (contains(*cpus, cpu)) {
      allowed.push_back(static_cast<int>(number));
    }
  }
  if (garbled) return not_understood(subject, garbled->first, garbled->second);
  if (!visible) return not_visible(subject, where);
  if (allowed.empty()) return {subject, severity::fine, "none", where};
  return {subject,
          severity::note,
          fmt::format("{}", cpu_list_text(allowed)),
          where,
          "a device may interrupt the worker, now or once it is used",
          fmt::format("boot with irqaffinity=OTHER_CPUS, or write the other CPUs to each of {}", where)};
}

}  // namespace detent::tool
