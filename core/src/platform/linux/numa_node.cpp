// SPDX-License-Identifier: MIT
#include "platform/thread_setup.hpp"

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace detent::detail {

// The CPU's directory has a link to its node's directory, which has the same name.
std::optional<int> numa_node_of(int cpu) {
  std::error_code trouble;
  std::filesystem::directory_iterator each("/sys/devices/system/cpu/cpu" + std::to_string(cpu), trouble);
  for (; !trouble && each != std::filesystem::directory_iterator(); each.increment(trouble)) {
    const std::string name = each->path().filename();
    int node = 0;
    if (name.starts_with("node") &&
        std::from_chars(name.data() + 4, name.data() + name.size(), node).ptr == name.data() + name.size())
      return node;
  }
  return std::nullopt;
}

const char* explain_no_node() noexcept {
  return "is not in /sys/devices/system/cpu; is there such a CPU? Else set it to false";
}

}  // namespace detent::detail
