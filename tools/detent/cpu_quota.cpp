// SPDX-License-Identifier: MIT
#include "cpu_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace detent::tool {
namespace {

struct quota_search {
  const host_files& host;
  bool visible = false;
  std::optional<double> tightest = std::nullopt;

  void found(long long quota_us, long long period_us) {
    if (quota_us <= 0 || period_us <= 0) return;
    const double cpus = static_cast<double>(quota_us) / static_cast<double>(period_us);
    tightest = tightest ? std::min(*tightest, cpus) : cpus;
  }

  void look_at_version_2(const std::string& group) {
    const auto text = host.read(group + "/cpu.max");
    if (!text) return;
    visible = true;
    const auto words = words_of(*text);
    if (words.size() != 2 || words[0] == "max") return;
    found(number_in(words[0]).value_or(0), number_in(words[1]).value_or(0));
  }

  void look_at_version_1(const std::string& group) {
    const auto quota = host.read(group + "/cpu.cfs_quota_us");
    const auto period = host.read(group + "/cpu.cfs_period_us");
    if (!quota || !period) return;
    visible = true;
    found(number_in(*quota).value_or(0), number_in(*period).value_or(0));
  }
};

// The group and all that contain it, down to the mount point: a limit on any of them holds.
std::vector<std::string> with_parents(const std::string& mount, std::string group) {
  std::vector<std::string> out;
  while (!group.empty() && group != "/") {
    out.push_back(mount + group);
    group.resize(group.find_last_of('/'));
  }
  out.push_back(mount);
  return out;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<double> cpu_quota(const host_files& host, bool& visible) {
  quota_search search{.host = host};
  const std::string groups = host.read("/proc/self/cgroup").value_or("");
  for (const std::string_view line : lines_of(groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    if (controllers.empty()) {
      for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        for (const std::string& each : with_parents(mount, group)) search.look_at_version_2(each);
      }
    } else if (names_cpu(controllers)) {
      for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
        for (const std::string& each : with_parents(mount, group)) search.look_at_version_1(each);
      }
    }
  }
  visible = search.visible || !groups.empty();
  return search.tightest;
}

finding container_quota(const host_files& host) {
  const std::string subject = "container CPU quota";
  bool visible = false;
  const auto quota = cpu_quota(host, visible);
  if (!visible) return not_visible(subject);
  if (!quota) return fine(subject, "no limit");
  return act(subject, fmt::format("{:.3g} CPUs", *quota),
             "a process that has used up its quota stands still for the rest of the period, often tens of "
             "milliseconds: lift the limit "
             "(docker --cpus=0, Kubernetes: no CPU limit), and give the container CPUs of its own instead");
}

}  // namespace detent::tool
