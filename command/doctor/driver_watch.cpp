// SPDX-License-Identifier: MIT
#include "doctor/driver_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/frozen_group.hpp"

namespace detent::tool {
namespace {

// A process with more threads is too large to be read each second.
constexpr std::size_t most_threads = 256;
constexpr std::int64_t least_overdue = 100'000'000;  // ns
constexpr double much_waiting = 0.01;

std::int64_t grown(std::uint64_t now, std::uint64_t before) {
  return now > before ? static_cast<std::int64_t>(now - before) : 0;
}

bool is_stopped(const thread_facts& thread) { return thread.state == 'T' || thread.state == 't'; }

bool has_delays(const std::pair<const long long, thread_facts>& thread) { return thread.second.delays; }

}  // namespace

driver_watch::threads driver_watch::read_threads(const host_files& host) const {
  threads out;
  const std::vector<long long> ids = host.numbers_in(fmt::format("/proc/{}/task", process_));
  if (ids.size() > most_threads) return out;
  for (const long long id : ids)
    if (auto facts = thread_of(host, process_, id)) out.emplace(id, std::move(*facts));
  return out;
}

void driver_watch::look(const host_files& host, const machine_watch& machine, std::int64_t overdue, bool hands_over) {
  const bool first = !looked_;
  const std::int64_t length = first ? 0 : machine.now() - looked_at_;
  const bool all = !worker_ || hands_over || overdue >= least_overdue;
  threads now = all ? read_threads(host) : threads();
  if (worker_ && !now.contains(*worker_))
    if (auto facts = thread_of(host, process_, *worker_)) now.emplace(*worker_, std::move(*facts));
  // Some kernels, such as those of sandboxes, have no schedstat: without it a lack of CPU would look like none.
  evidence_.visible = std::any_of(now.begin(), now.end(), has_delays);
  evidence_.overdue = overdue;
  take_driver(now, length);
  if (worker_ && hands_over) take_others(now);
  const bool frozen = overdue >= least_overdue && is_frozen(host, process_);
  if (!first) take_stops(now, all, frozen || frozen_, length, overdue);
  frozen_ = frozen;
  take_machine(machine, first);
  if (first || evidence_.waiting >= much_waiting || overdue >= least_overdue) take_quota(host);
  last_ = std::move(now);
  last_has_all_ = all;
  looked_at_ = machine.now();
  looked_ = true;
}

// Stolen time counts only if the driver has stayed on its CPU.
void driver_watch::take_machine(const machine_watch& machine, bool first) {
  const std::int64_t stolen = driver_ ? machine.stolen_from(driver_->cpu) : 0;
  const int cpu = driver_ ? driver_->cpu : -1;
  if (!first && cpu == cpu_) evidence_.stolen += std::max<std::int64_t>(stolen - stolen_, 0);
  cpu_ = cpu;
  stolen_ = stolen;
  if (!first && machine.halted() > halted_) {
    evidence_.halted += machine.halted() - halted_;
    evidence_.longest_halt = machine.longest_halt();
  }
  halted_ = machine.halted();
}

// A caller may be any of the threads that ran. It is taken to be the one that waited least, so that no driver is called
// starved that is not.
void driver_watch::take_driver(const threads& now, std::int64_t length) {
  driver_.reset();
  std::int64_t ran = 0, waited = 0, slices = 0;
  for (const auto& [id, facts] : now) {
    if (worker_ && id != *worker_) continue;
    const auto before = last_.find(id);
    const bool known = before != last_.end();
    // A worker lives as long as its engine, so at the first look all its time counts.
    if (!known && (!worker_ || looked_)) continue;
    const std::int64_t its_run = grown(facts.ran, known ? before->second.ran : 0);
    const std::int64_t its_wait = grown(facts.waited, known ? before->second.waited : 0);
    if (!worker_ && (its_run == 0 || (driver_ && its_wait >= waited))) continue;
    driver_ = facts;
    ran = its_run;
    waited = its_wait;
    slices = grown(facts.slices, known ? before->second.slices : 0);
  }
  evidence_.ran += ran;
  evidence_.waited += waited;
  evidence_.slices += slices;
  // The kernel adds a wait when it ends. Until then, the thread is ready, and none of its figures grows.
  const auto still_waits = [&](const auto& each) {
    const auto before = last_.find(each.first);
    return (worker_ ? each.first == *worker_ : !driver_) && before != last_.end() && before->second.state == 'R' &&
           each.second.state == 'R' && before->second.ran == each.second.ran &&
           before->second.waited == each.second.waited;
  };
  if (const auto found = std::find_if(now.begin(), now.end(), still_waits); found != now.end()) {
    driver_ = found->second;
    waited = length;
  }
  evidence_.waiting = length > 0 ? static_cast<double>(waited) / static_cast<double>(length) : 0;
}

void driver_watch::take_others(const threads& now) {
  std::int64_t ran = 0, waited = 0;
  for (const auto& [id, facts] : now) {
    const auto before = last_.find(id);
    if (id == *worker_ || before == last_.end()) continue;
    const std::int64_t its_wait = grown(facts.waited, before->second.waited);
    if (its_wait <= waited) continue;
    ran = grown(facts.ran, before->second.ran);
    waited = its_wait;
  }
  evidence_.other_ran += ran;
  evidence_.other_waited += waited;
}

void driver_watch::take_stops(const threads& now, bool all, bool frozen, std::int64_t length, std::int64_t overdue) {
  const auto stopped = [](const threads& some) {
    return !some.empty() && std::all_of(some.begin(), some.end(), [](auto& each) { return is_stopped(each.second); });
  };
  const auto rested = [this](const auto& each) {
    const auto before = last_.find(each.first);
    return before != last_.end() && before->second.ran == each.second.ran &&
           before->second.waited == each.second.waited && each.second.state != 'R';
  };
  const auto note = [length](bool is, std::int64_t& current, std::int64_t& sum, std::int64_t& longest) {
    if (!is) {
      current = 0;
      return;
    }
    sum += length;
    longest = current += length;
  };
  evidence_.is_stopped = frozen || stopped(now);
  note(evidence_.is_stopped || stopped(last_), stop_, evidence_.stopped, evidence_.longest_stop);
  const bool quiet = overdue >= least_overdue && all && last_has_all_ && now.size() == last_.size() && !now.empty() &&
                     std::all_of(now.begin(), now.end(), rested);
  note(quiet, quiet_, evidence_.quiet, evidence_.longest_quiet);
}

void driver_watch::take_quota(const host_files& host) {
  cpu_quota now = quota_of(host, process_);
  evidence_.is_throttled = quota_ && quota_->statistics == now.statistics && now.throttled > quota_->throttled;
  if (quota_ && quota_->statistics == now.statistics) {
    evidence_.throttles += static_cast<std::uint64_t>(grown(now.throttled, quota_->throttled));
    evidence_.throttled += grown(now.stood_still, quota_->stood_still);
  }
  quota_ = std::move(now);
}

}  // namespace detent::tool
