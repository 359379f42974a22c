// SPDX-License-Identifier: MIT
#include "doctor/cpu_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lateness/late_scenario.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

class quota_search {
 public:
  explicit quota_search(const host_files& host) : host_(host) {}

  void look_at_version_2(const std::string& group) {
    const std::string file = group + "/cpu.max";
    if (const auto text = host_.read(file)) {
      found_.visible = true;
      const auto words = words_of(*text);
      if (words.size() != 2 || (words[0] != "max" && !number_in(words[0])) || !number_in(words[1])) {
        misread(file, *text);
      } else if (words[0] != "max") {
        limit(file, *number_in(words[0]), *number_in(words[1]));
      }
    }
    take_statistics(group + "/cpu.stat", "throttled_usec", 1'000);
  }

  void look_at_version_1(const std::string& group) {
    const std::string file = group + "/cpu.cfs_quota_us";
    const auto quota = host_.read(file), period = host_.read(group + "/cpu.cfs_period_us");
    if (quota && period) {
      found_.visible = true;
      if (!number_in(*quota) || !number_in(*period)) {
        misread(file, *quota);
      } else {
        limit(file, *number_in(*quota), *number_in(*period));
      }
    }
    take_statistics(group + "/cpu.stat", "throttled_time", 1);
  }

  const cpu_quota& found() const { return found_; }

 private:
  void limit(const std::string& file, long long quota_us, long long period_us) {
    if (quota_us <= 0 || period_us <= 0) return;
    const double cpus = static_cast<double>(quota_us) / static_cast<double>(period_us);
    if (found_.cpus && *found_.cpus <= cpus) return;
    found_.cpus = cpus;
    found_.where = file;
  }

  void misread(const std::string& file, const std::string& text) {
    found_.garbled = file;
    found_.garbled_text = text;
  }

  void take_statistics(const std::string& file, std::string_view time_name, std::uint64_t unit) {
    const auto text = host_.read(file);
    if (!text) return;
    found_.visible = true;  // a group without a limit may lack the other file, but it has this one
    std::uint64_t periods = 0, throttled = 0, time = 0;
    for (const std::string_view line : lines_of(*text)) {
      const auto words = words_of(line);
      const auto number = words.size() == 2 ? number_in(words[1]) : std::nullopt;
      if (!number || *number < 0) return misread(file, *text);
      const auto count = static_cast<std::uint64_t>(*number);
      if (words[0] == "nr_periods") periods = count;
      if (words[0] == "nr_throttled") throttled = count;
      if (words[0] == time_name) time = count * unit;
    }
    if (!found_.statistics.empty() && throttled <= found_.throttled) return;
    found_.statistics = file;
    found_.periods = periods;
    found_.throttled = throttled;
    found_.stood_still = time;
  }

  const host_files& host_;
  cpu_quota found_;
};

// Returns the group and all groups that contain it, up to the mount point. A limit on any of them holds.
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

cpu_quota quota_of(const host_files& host, std::optional<long long> process) {
  quota_search search(host);
  const std::string file = process ? fmt::format("/proc/{}/cgroup", *process) : "/proc/self/cgroup";
  const std::string groups = host.read(file).value_or("");
  bool understood = false;
  for (const std::string_view line : lines_of(groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    understood = true;
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
  cpu_quota found = search.found();
  if (found.where.empty()) found.where = file;
  if (!groups.empty() && !understood) {
    found.garbled = file;
    found.garbled_text = groups;
  }
  return found;
}

finding container_quota(const cpu_quota& quota) {
  const std::string subject = "CPU quota";
  if (!quota.garbled.empty()) return not_understood(subject, quota.garbled, quota.garbled_text);
  if (!quota.visible) return not_visible(subject, quota.where);
  if (!quota.cpus) return {subject, severity::fine, "no limit", quota.where};
  return {subject,
          severity::warning,
          fmt::format("{:.3g} CPUs", *quota.cpus),
          quota.where,
          "a group that has used up its quota is stopped for the rest of the period, often tens of milliseconds",
          "lift the limit (docker update --cpus=0 CONTAINER, systemctl set-property SERVICE CPUQuota=, Kubernetes: no "
          "CPU limit), and give it CPUs of its own instead"};
}

finding quota_throttling(const std::optional<cpu_quota>& earlier, const cpu_quota& later) {
  const std::string subject = "quota throttling";
  const std::string file = later.statistics.empty() ? "cpu.stat of the control group" : later.statistics;
  if (later.statistics.empty()) return not_visible(subject, file);
  if (later.throttled == 0) return {subject, severity::fine, "never", file};
  const bool same = earlier && earlier->statistics == later.statistics && earlier->throttled <= later.throttled;
  const std::uint64_t now = same ? later.throttled - earlier->throttled : 0;
  constexpr std::uint64_t seldom = 100;  // one period in so many
  const bool often = later.throttled >= later.periods / seldom;
  std::string seen = fmt::format("in {} of {} periods, {} in all", count_text(later.throttled),
                                 count_text(later.periods), time_text(static_cast<double>(later.stood_still)));
  if (now != 0) seen += fmt::format("; {} of them while this was watched", count_text(now));
  return {subject,
          now != 0 || often ? severity::bad : severity::warning,
          seen,
          file,
          "the group used up its CPU quota and was stopped, and the worker with it; timers due in that time were late",
          std::string(words_for(late_scenario::quota_used_up).cure)};
}

}  // namespace detent::tool
