// SPDX-License-Identifier: MIT
#include "top/engine_witness.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "lateness/counted_lateness.hpp"

namespace detent::tool {
namespace {

constexpr double much_waiting = 0.05;
// Nanoseconds, because a search reads every thread of the host.
constexpr std::int64_t between_searches = 10'000'000'000;

auto key_of(const engine_reading& engine) {
  const engine_identity& identity = engine.snapshot.identity;
  return std::tuple(identity.path, identity.process, identity.made_at);
}

}  // namespace

void engine_witness::look(host_reading& reading, std::int64_t expected) {
  look(reading, expected, machine_clocks::read(host_));
}

void engine_witness::look(host_reading& reading, std::int64_t expected, const machine_clocks& clocks) {
  machine_.look(clocks, expected, host_);
  std::map<key, driver_watch> seen;
  for (engine_reading& each : reading.engines) {
    const engine_identity& identity = each.snapshot.identity;
    // In another pid namespace, its process id may belong to another process, so nothing can be read.
    if (!identity.same_processes) continue;
    const key of = key_of(each);
    const std::optional<long long> worker =
        identity.worker_thread != 0 ? std::optional<long long>(identity.worker_thread) : std::nullopt;
    const auto known = drivers_.find(of);
    driver_watch watch = known != drivers_.end() ? std::move(known->second) : driver_watch(identity.process, worker);
    watch.look(host_, machine_, overdue_of(each.snapshot), hands_over(each.snapshot));
    seen.insert_or_assign(of, std::move(watch));
  }
  drivers_ = std::move(seen);
  look_for_rivals();
  for (engine_reading& each : reading.engines)
    if (const auto found = drivers_.find(key_of(each)); found != drivers_.end()) each.driver = found->second.evidence();
}

void engine_witness::look_for_rivals() {
  const std::int64_t now = machine_.now();
  if (visitors_) {
    visitors_->add(threads_of_host(host_));
    const std::string rival = visitors_->longest_visitor(static_cast<double>(now - searched_at_) / 1e9);
    if (const auto found = drivers_.find(starved_); found != drivers_.end() && !rival.empty())
      found->second.take_rival(rival);
    visitors_.reset();
    return;
  }
  const auto most = std::max_element(drivers_.begin(), drivers_.end(), [](const auto& a, const auto& b) {
    return a.second.waiting() < b.second.waiting();
  });
  if (most == drivers_.end() || most->second.waiting() < much_waiting || !most->second.driver()) return;
  if (searched_at_ != 0 && now - searched_at_ < between_searches) return;
  const thread_facts& driver = *most->second.driver();
  starved_ = most->first;
  searched_at_ = now;
  visitors_.emplace(driver.cpu, driver.thread, ::getpid());
  visitors_->add(threads_of_host(host_));
}

}  // namespace detent::tool
