// SPDX-License-Identifier: MIT
#include "host/frozen_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {
namespace {

// In version 2 a group's file says that it is frozen, whether the group itself is frozen or one that contains it.
bool frozen_in_version_2(const host_files& host, std::string_view mount, std::string_view group) {
  const std::string events = host.read(fmt::format("{}{}/cgroup.events", mount, group)).value_or("");
  const std::vector<std::string_view> lines = lines_of(events);
  return std::find(lines.begin(), lines.end(), "frozen 1") != lines.end();
}

}  // namespace

bool is_frozen(const host_files& host, long long process) {
  const std::string groups = host.read(fmt::format("/proc/{}/cgroup", process)).value_or("");
  for (const std::string_view line : lines_of(groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        if (frozen_in_version_2(host, mount, group)) return true;
    } else if (controllers == "freezer") {
      if (host.read(fmt::format("/sys/fs/cgroup/freezer{}/freezer.state", group)) == "FROZEN") return true;
    }
  }
  return false;
}

}  // namespace detent::tool
