// SPDX-License-Identifier: MIT
#include "doctor/cpu_visitors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "text/units.hpp"

namespace detent::tool {
namespace {

std::uint64_t switches_of(const thread_facts& facts) { return facts.gave_up + facts.preempted; }

std::uint64_t grown(std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; }

}  // namespace

void cpu_visitors::add(const std::vector<thread_facts>& threads) {
  std::map<long long, thread_facts> now;
  for (const thread_facts& each : threads) now.emplace(each.thread, each);
  for (const auto& [thread, facts] : now) {
    if (samples_ == 0 || facts.cpu != cpu_ || thread == own_ || facts.process == self_) continue;
    const auto before = last_.find(thread);  // no entry if the thread began after the last sample
    const bool known = before != last_.end();
    const std::uint64_t ran = grown(facts.ran, known ? before->second.ran : 0);
    const std::uint64_t switches = grown(switches_of(facts), known ? switches_of(before->second) : 0);
    if (ran == 0 && switches == 0) continue;
    visit& noted = visits_[thread];
    noted.process = facts.process;
    noted.name = facts.name;
    noted.kernel = facts.kernel;
    noted.ran += ran;
    noted.switches += switches;
  }
  last_ = std::move(now);
  ++samples_;
}

finding cpu_visitors::judged(double seconds) const {
  const std::string subject = fmt::format("who else ran on CPU {}", cpu_);
  const std::string where = "/proc/*/task/*/{stat,schedstat,status}";
  if (last_.empty()) return not_visible(subject, where);
  if (samples_ < 2) return {subject, severity::unknown, "one reading shows no change", where};
  if (visits_.empty()) return {subject, severity::fine, fmt::format("no other thread, in {} samples", samples_), where};

  std::vector<std::pair<long long, visit>> list(visits_.begin(), visits_.end());
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.ran, a.second.switches) > std::pair(b.second.ran, b.second.switches);
  });
  constexpr std::size_t named = 5;
  std::string seen;
  for (std::size_t i = 0; i < std::min(named, list.size()); ++i) {
    const auto& [thread, who] = list[i];
    seen += fmt::format("{}{}{} ({}) for {} in {} switches", i == 0 ? "" : ", ", who.kernel ? "the kernel's " : "",
                        who.name, thread, time_text(static_cast<double>(who.ran)), who.switches);
  }
  if (list.size() > named) seen += fmt::format(", and {} more", list.size() - named);
  const auto total = std::accumulate(list.begin(), list.end(), std::uint64_t{0},
                                     [](std::uint64_t sum, const auto& each) { return sum + each.second.ran; });
  const bool users = std::any_of(list.begin(), list.end(), [](const auto& each) { return !each.second.kernel; });
  const double share = seconds > 0 ? static_cast<double>(total) / 1e9 / seconds : 0;
  if (seconds > 0) seen += fmt::format("; {} of the time", percent_text(share));
  const bool much = share >= 0.01 || (users && seconds <= 0);
  const std::string anywhere_else = fmt::format("isolcpus={0} nohz_full={0} rcu_nocbs={0}", cpu_);
  return {
      subject,
      much ? severity::bad : severity::warning,
      seen,
      where,
      "while another thread has the CPU, the worker does not; each visit also evicts the worker's data from the caches",
      users ? fmt::format("boot with {}, or move them: taskset -acp OTHER_CPUS PID", anywhere_else)
            : fmt::format("the kernel's own work: boot with {}", anywhere_else)};
}

std::string cpu_visitors::longest_visitor(double seconds) const {
  const auto longest = std::max_element(visits_.begin(), visits_.end(),
                                        [](const auto& a, const auto& b) { return a.second.ran < b.second.ran; });
  if (longest == visits_.end() || seconds <= 0) return "";
  const double share = static_cast<double>(longest->second.ran) / 1e9 / seconds;
  if (share < 0.01) return "";
  return fmt::format("{} ({}) had CPU {} for {} of the time", longest->second.name, longest->first, cpu_,
                     percent_text(std::min(share, 1.0)));
}

}  // namespace detent::tool
