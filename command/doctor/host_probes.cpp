// SPDX-License-Identifier: MIT
#include "doctor/host_probes.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "text/input_error.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

const std::string huge_page_directory = "/sys/kernel/mm/transparent_hugepage/";

// Returns the word in brackets.
std::optional<std::string> chosen(const std::string& modes) {
  const std::size_t open = modes.find('['), close = modes.find(']');
  if (open == std::string::npos || close == std::string::npos || close <= open + 1) return std::nullopt;
  const std::string mode = modes.substr(open + 1, close - open - 1);
  if (mode.find_first_not_of("abcdefghijklmnopqrstuvwxyz+_") != std::string::npos) return std::nullopt;
  return mode;
}

}  // namespace

finding frequency_governor(const host_files& host) {
  const std::string subject = "CPU frequency governor";
  const std::string where = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
  std::map<std::string, int> governors;
  for (const auto& [cpu, governor] : host.of_each_cpu("cpufreq/scaling_governor")) {
    if (words_of(governor).size() != 1) return not_understood(subject, where, governor);
    ++governors[governor];
  }
  if (governors.empty()) return not_visible(subject, where);
  std::string measured;
  for (const auto& [governor, cpus] : governors) {
    const bool plain = governor.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
    measured += fmt::format("{}{} on {} CPU{}", measured.empty() ? "" : ", ", plain ? governor : in_quotes(governor),
                            cpus, cpus == 1 ? "" : "s");
  }
  if (governors.size() == 1 && governors.begin()->first == "performance") {
    return {subject, severity::fine, measured, where};
  }
  return {subject,
          severity::warning,
          measured,
          where,
          "a core that was slowed down while idle runs the first callbacks after a wake-up slowly",
          "cpupower frequency-set -g performance"};
}

finding transparent_huge_pages(const host_files& host) {
  const std::string subject = "transparent huge pages", file = huge_page_directory + "enabled";
  const auto modes = host.read(file);
  if (!modes) return not_visible(subject, file);
  const auto mode = chosen(*modes);
  if (!mode) return not_understood(subject, file, *modes);
  if (*mode != "never") return {subject, severity::fine, *mode, file};
  return {subject,
          severity::warning,
          *mode,
          file,
          "an engine asks for huge pages for its timers and does not get them: with millions of timers each access "
          "misses the TLB",
          fmt::format("echo madvise > {}", file)};
}

finding huge_page_defrag(const host_files& host) {
  const std::string subject = "huge page defrag", file = huge_page_directory + "defrag";
  const auto modes = host.read(file);
  if (!modes) return not_visible(subject, file);
  const auto mode = chosen(*modes);
  if (!mode) return not_understood(subject, file, *modes);
  const bool used = chosen(host.read(huge_page_directory + "enabled").value_or("")) != "never";
  if (!used || *mode == "never" || *mode == "defer") return {subject, severity::fine, *mode, file};
  const bool everybody = *mode == "always";
  return {
      subject,
      everybody ? severity::warning : severity::note,
      *mode,
      file,
      everybody ? "the first touch of any new memory, in a callback too, may stop for milliseconds while the kernel "
                  "moves pages to make a huge one"
                : "the first touch of memory that asked for huge pages, as an engine's does, may stop for milliseconds "
                  "while the kernel moves pages to make one",
      everybody ? fmt::format("echo defer > {}", file)
                : fmt::format("set engine_options::reserve and memory_options::prefault, or echo defer > {}", file)};
}

finding locked_memory_limit(const host_files& host) {
  const std::string subject = "locked-memory limit", file = "/proc/self/limits";
  constexpr unsigned long long enough = 64ULL << 20;  // for a million timers
  constexpr std::string_view name = "Max locked memory";
  const auto limits = host.read(file);
  if (!limits) return not_visible(subject, file);
  for (const std::string_view line : lines_of(*limits)) {
    if (!line.starts_with(name)) continue;
    const auto words = words_of(line.substr(name.size()));
    if (words.empty()) break;
    if (words[0] == "unlimited") return {subject, severity::fine, "unlimited", file};
    const auto bytes = number_in(words[0]);
    if (!bytes || *bytes < 0) break;
    const std::string measured = bytes_text(static_cast<std::uint64_t>(*bytes));
    if (static_cast<unsigned long long>(*bytes) >= enough) return {subject, severity::fine, measured, file};
    return {subject,
            severity::note,
            measured,
            file,
            "memory_options::lock cannot keep a million timers in memory",
            "ulimit -l unlimited, or LimitMEMLOCK=infinity in the service"};
  }
  return not_understood(subject, file, *limits);
}

}  // namespace detent::tool
