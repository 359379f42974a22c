// SPDX-License-Identifier: MIT
#include "doctor/worker_cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "host/cpu_list.hpp"
#include "lateness/late_scenario.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

const std::string cpu_directory = "/sys/devices/system/cpu/";
const std::string isolated_file = cpu_directory + "isolated";

std::string boot_with(const std::string& cpu) {
  return fmt::format("boot with isolcpus={0} nohz_full={0} rcu_nocbs={0}", cpu);
}

// Returns the column `steal`, in hundredths of a second, of a line of /proc/stat.
std::optional<long long> stolen_in(const std::string& stat, const std::string& line_name) {
  for (const std::string_view line : lines_of(stat)) {
    constexpr std::size_t steal = 8;
    const auto words = words_of(line);
    if (words.empty() || words[0] != line_name) continue;
    return words.size() > steal ? number_in(words[steal]) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

finding isolated_cpus(const host_files& host) {
  const std::string subject = "isolated CPUs";
  const auto isolated = host.read(isolated_file);
  if (!isolated) return not_visible(subject, isolated_file);
  const auto cpus = cpus_in(*isolated);
  if (!cpus) return not_understood(subject, isolated_file, *isolated);
  if (!cpus->empty()) {
    return {subject, severity::fine, fmt::format("{}; put the worker there: engine_options::cpu", *isolated),
            isolated_file};
  }
  return {subject,
          severity::warning,
          "none",
          isolated_file,
          "other threads and the kernel's own work can delay the worker on any CPU",
          boot_with("N") + " and set engine_options::cpu to N"};
}

finding worker_cpu(const host_files& host, int cpu) {
  const std::string subject = fmt::format("isolation of CPU {}", cpu);
  const std::string online_file = cpu_directory + "online", nohz_file = cpu_directory + "nohz_full";
  if (const auto text = host.read(online_file)) {
    const auto online = cpus_in(*text);
    if (!online) return not_understood(subject, online_file, *text);
    if (!contains(*online, cpu)) {
      const auto present = cpus_in(host.read(cpu_directory + "present").value_or(""));
      const bool is_there = !present || present->empty() || contains(*present, cpu);
      return {subject,
              severity::bad,
              fmt::format("not online; these are: {}", *text),
              online_file,
              fmt::format("an engine with cpu = {} is refused", cpu),
              is_there ? fmt::format("echo 1 > {}cpu{}/online, or another CPU", cpu_directory, cpu)
                       : "another CPU: this host has none of that number"};
    }
  }
  const auto text = host.read(isolated_file);
  if (!text) return not_visible(subject, isolated_file);
  const auto isolated = cpus_in(*text);
  if (!isolated) return not_understood(subject, isolated_file, *text);
  if (!contains(*isolated, cpu)) {
    return {subject,
            severity::warning,
            isolated->empty() ? "no CPU is isolated" : fmt::format("not isolated; these are: {}", *text),
            isolated_file,
            "the worker cannot leave this CPU, but any other thread may use it too and delay the worker",
            boot_with(std::to_string(cpu))};
  }
  // A kernel that was built without it has no such file. If it was not asked for, the file says "(null)".
  const auto tickless = cpus_in(host.read(nohz_file).value_or(""));
  if (tickless && contains(*tickless, cpu))
    return {subject, severity::fine, "isolated, and without a tick", isolated_file};
  return {subject,
          severity::note,
          "isolated, but with the kernel's tick",
          nohz_file,
          "the tick interrupts a busy worker up to 1,000 times a second, for a few microseconds",
          fmt::format("boot with nohz_full={0} rcu_nocbs={0}", cpu)};
}

finding worker_affinity(const host_files& host, const worker_facts& worker) {
  const std::string subject = "the worker's CPU";
  const std::string file =
      fmt::format("/proc/{}/task/{}/status", worker.process.value_or(0), worker.thread.value_or(0));
  const auto text = host.read(file);
  if (!text) return not_visible(subject, file);
  for (const std::string_view line : lines_of(*text)) {
    const auto words = words_of(line);
    if (words.size() != 2 || words[0] != "Cpus_allowed_list:" || !cpus_in(words[1])) continue;
    return {subject,
            severity::note,
            fmt::format("any of {}", words[1]),
            file,
            "the scheduler may move the worker, which then loses what was in its caches",
            "engine_options::cpu"};
  }
  return not_understood(subject, file, *text);
}

finding timer_slack(const host_files& host, const worker_facts& worker) {
  const std::string subject = "timer slack";
  const std::string file =
      worker.thread ? fmt::format("/proc/{}/timerslack_ns", *worker.thread) : "/proc/self/timerslack_ns";
  const auto text = host.read(file);
  if (!text) return not_visible(subject, file);
  const auto slack = number_in(*text);
  if (!slack || *slack < 0) return not_understood(subject, file, *text);
  const std::string measured = time_text(static_cast<double>(*slack));
  if (!worker.thread) {
    const char* const own = *slack <= 1 ? "" : " by default; an engine's worker sets its own to 1 ns";
    return {subject, severity::fine, measured + own, file};
  }
  if (worker.priority) return {subject, severity::fine, "none applies to a real-time thread", file};
  if (*slack <= 1) return {subject, severity::fine, measured, file};
  return {subject,
          worker.wait == wait_options::kind::busy ? severity::note : severity::bad,
          fmt::format("{}, and the worker had asked for 1 ns", measured),
          file,
          "the kernel lets each of the worker's sleeps end that much too late: PR_SET_TIMERSLACK was refused, by a "
          "sandbox perhaps, or somebody has changed it since",
          fmt::format("echo 1 > {}", file)};
}

finding worker_waits(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                     const worker_facts& worker, double seconds) {
  const std::string subject = "the worker's waits for its CPU";
  const std::string directory = fmt::format("/proc/{}/task/{}/", worker.process.value_or(0), worker.thread.value_or(0));
  if (!later) return not_visible(subject, directory + "stat");
  if (!later->delays) return not_visible(subject, directory + "schedstat");
  if (!earlier) return {subject, severity::unknown, "one reading shows no change", directory + "schedstat"};
  const std::uint64_t waited = later->waited > earlier->waited ? later->waited - earlier->waited : 0;
  const std::uint64_t lost = later->preempted > earlier->preempted ? later->preempted - earlier->preempted : 0;
  const std::string seen =
      fmt::format("{} ready to run but waiting, {} times preempted", time_text(static_cast<double>(waited)), lost) +
      (seconds > 0 ? fmt::format(", in {}", time_text(seconds * 1e9)) : "");
  const double share = seconds > 0 ? static_cast<double>(waited) / 1e9 / seconds : 0;
  if (share < 0.001 && lost == 0) return {subject, severity::fine, seen, directory + "schedstat"};
  return {subject,
          share >= 0.01 ? severity::bad : severity::warning,
          seen,
          directory + "schedstat",
          "timers that are due while the worker waits are late by as much",
          std::string(words_for(late_scenario::worker_starved).cure)};
}

std::optional<finding> worker_load(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                                   const worker_facts& worker, double seconds) {
  constexpr double much = 0.6;
  if (!earlier || !later || seconds <= 0 || later->ran < earlier->ran) return std::nullopt;
  const double share = static_cast<double>(later->ran - earlier->ran) / 1e9 / seconds;
  if (share <= much || worker.wait == wait_options::kind::busy) return std::nullopt;
  return finding{"the worker's load",
                 severity::warning,
                 fmt::format("{} of a CPU, in {}", percent_text(share), time_text(seconds * 1e9)),
                 fmt::format("/proc/{}/task/{}/schedstat", later->process, later->thread),
                 "unless it spins before deadlines that follow each other closely, it is the limit: callbacks wait for "
                 "callbacks",
                 "an executor, a pool by key or more shards: docs/sharding.md; with a busy wait, ask with --wait busy"};
}

finding stolen_time(std::optional<int> cpu, const std::optional<std::string>& earlier,
                    const std::optional<std::string>& later, double seconds) {
  const std::string subject = "stolen time", file = "/proc/stat";
  if (!later) return not_visible(subject, file);
  const std::string line = cpu ? fmt::format("cpu{}", *cpu) : "cpu";
  const auto now = stolen_in(*later, line);
  if (!now && later->starts_with("cpu ") && cpu && later->find("\n" + line + " ") == std::string::npos)
    return {subject, severity::unknown, "has no line for this CPU", file};
  if (!now) return not_understood(subject, file, *later);
  const auto before = earlier ? stolen_in(*earlier, line) : std::nullopt;
  if (!before) return {subject, severity::unknown, "one reading shows no change", file};
  if (*now <= *before) return {subject, severity::fine, "none", file};
  const double stolen = static_cast<double>(*now - *before) / 100;
  const auto lines = lines_of(*later);
  const auto of_one_cpu = [](std::string_view each) { return each.starts_with("cpu") && !each.starts_with("cpu "); };
  const double all =
      static_cast<double>(std::max<std::ptrdiff_t>(1, std::count_if(lines.begin(), lines.end(), of_one_cpu)));
  const double share = seconds > 0 ? stolen / seconds / (cpu ? 1 : all) : 0;
  return {subject,
          share >= 0.01 ? severity::bad : severity::warning,
          fmt::format("{} from {}{}", time_text(stolen * 1e9), cpu ? fmt::format("CPU {}", *cpu) : "all CPUs",
                      seconds > 0 ? fmt::format(", in {}", time_text(seconds * 1e9)) : ""),
          file,
          "the hypervisor ran something else while this machine wanted to run",
          std::string(words_for(late_scenario::cpu_stolen).cure)};
}

}  // namespace detent::tool
