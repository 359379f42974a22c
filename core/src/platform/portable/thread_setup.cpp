// SPDX-License-Identifier: MIT
// Threads of the language: they have no name, run on any CPU, and have the priority that the system gives them.
#include "platform/thread_setup.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <numeric>

namespace detent::detail {

void name_thread(native_thread, const std::string&) noexcept {}
void name_this_thread(const std::string&) noexcept {}

int pin_thread(native_thread, int) noexcept { return ENOSYS; }

std::vector<int> usable_cpus() {
  std::vector<int> all(static_cast<std::size_t>(cpu_count()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int cpu_count() noexcept { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)); }

std::optional<int> numa_node_of(int) { return std::nullopt; }

const char* explain_no_node() noexcept {
  return "is not known on the portable ground; docs/portability.md says which options it has";
}

std::int32_t this_thread_number() noexcept { return 0; }

std::string describe_cpus() {
  const int last = cpu_count() - 1;
  return "this host has " + (last == 0 ? "0" : "0-" + std::to_string(last));
}

std::string explain_pinning(int problem) { return explain(problem); }

setup_result set_up_worker_thread(const std::string&, std::optional<int> cpu, std::optional<int> realtime_priority) {
  if (cpu) return {code_of(ENOSYS), "cpu = " + std::to_string(*cpu) + ": " + explain_pinning(ENOSYS)};
  if (realtime_priority)
    return {code_of(ENOSYS), "realtime_priority = " + std::to_string(*realtime_priority) + ": " + explain(ENOSYS)};
  return {};
}

}  // namespace detent::detail
