// SPDX-License-Identifier: MIT
#include "host/machine_facts.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace detent::tool {
namespace {

constexpr const char* unknown = "unknown";

// Returns the value of the first line "NAME : VALUE" in /proc/cpuinfo, and the number of such lines.
std::pair<std::string, std::size_t> field_of(std::string_view text, std::string_view name) {
  std::pair<std::string, std::size_t> out;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string_view::npos) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    if (++out.second != 1) continue;
    for (const std::string_view word : words_of(line.substr(colon + 1))) {
      out.first += out.first.empty() ? "" : " ";
      out.first += word;
    }
  }
  return out;
}

std::string governors(const host_files& host) {
  std::string out;
  for (const auto& [cpu, governor] : host.of_each_cpu("cpufreq/scaling_governor")) {
    if (out.find(governor) == std::string::npos) out += (out.empty() ? "" : ", ") + governor;
  }
  return out.empty() ? "none visible" : out;
}

}  // namespace

text_table machine_facts(const host_files& host) {
  const std::string processors = host.read("/proc/cpuinfo").value_or("");
  const std::string model = field_of(processors, "model name").first;
  const std::size_t cores = field_of(processors, "processor").second;
  text_table table;
  table.add("CPU", model.empty() ? unknown : model);
  table.add("cores", cores == 0 ? unknown : std::to_string(cores));
  table.add("kernel", host.read("/proc/sys/kernel/osrelease").value_or(unknown));
  table.add("frequency governor", governors(host));
  table.add("load average", host.read("/proc/loadavg").value_or(unknown));
  return table;
}

}  // namespace detent::tool
