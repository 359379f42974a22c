// SPDX-License-Identifier: MIT
#include "doctor/doctor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "doctor/clock_probes.hpp"
#include "doctor/cpu_quota.hpp"
#include "doctor/cpu_visitors.hpp"
#include "doctor/driver_watch.hpp"
#include "doctor/engine_lateness.hpp"
#include "doctor/host_probes.hpp"
#include "doctor/idle_states.hpp"
#include "doctor/interrupt_counts.hpp"
#include "doctor/jitter_probes.hpp"
#include "doctor/machine_watch.hpp"
#include "doctor/realtime_probes.hpp"
#include "doctor/worker_cpu.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

// The facts of the host that change, at one instant.
struct host_look {
  std::optional<double> uptime;  // seconds
  std::optional<std::string> interrupts, processors;
  cpu_quota quota;
  std::optional<thread_facts> worker;
};

host_look look_at(const host_files& host, const worker_facts& worker) {
  host_look out = {.uptime = {},
                   .interrupts = host.read("/proc/interrupts"),
                   .processors = host.read("/proc/stat"),
                   .quota = quota_of(host, worker.process),
                   .worker = {}};
  const std::string uptime = host.read("/proc/uptime").value_or("");
  if (const auto words = words_of(uptime); !words.empty()) out.uptime = decimal_in(words[0]);
  if (worker.thread) out.worker = thread_of(host, worker.process.value_or(0), *worker.thread);
  return out;
}

void put_worst_first(std::vector<finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const finding& a, const finding& b) { return a.judged < b.judged; });
}

}  // namespace

class host_watch::notes {
 public:
  notes(worker_facts worker, host_files host) : worker_(worker), host_(std::move(host)) {
    // The process that takes the samples is not a visitor. In a copy it does not appear.
    const bool live = host_.root().empty();
    if (live && worker_.thread && !worker_.process) worker_.process = ::getpid();
    if (worker_.cpu) {
      visitors_.emplace(*worker_.cpu, worker_.thread, live ? std::optional<long long>(::getpid()) : std::nullopt);
    }
    first_ = look_at(host_, worker_);
    if (visitors_) visitors_->add(threads_of_host(host_));
    if (worker_.thread) driver_.emplace(worker_.process.value_or(0), worker_.thread);
    look_at_driver();
    if (driver_) before_ = driver_->evidence();
  }

  void look() {
    last_ = look_at(host_, worker_);
    look_at_driver();
    if (visitors_) visitors_->add(threads_of_host(host_));
  }
  void look(const host_files& later) {
    host_ = later;
    look();
  }

  std::vector<finding> findings() const;
  driver_evidence evidence() const { return driver_ ? since(driver_->evidence(), before_) : driver_evidence(); }

 private:
  // It is not known here how far apart the looks were meant to be. So a suspend is seen, but no other halt of the
  // machine.
  void look_at_driver() {
    const machine_clocks clocks = machine_clocks::read(host_);
    machine_.look(clocks, clocks.monotonic - machine_.now(), host_);
    if (driver_) driver_->look(host_, machine_, 0, worker_.hands_over);
  }

  worker_facts worker_;
  host_files host_;
  host_look first_;
  std::optional<host_look> last_;
  std::optional<cpu_visitors> visitors_;
  machine_watch machine_;
  std::optional<driver_watch> driver_;
  driver_evidence before_;  // as of the first look
};

std::vector<finding> host_watch::notes::findings() const {
  const host_look& now = last_ ? *last_ : first_;
  const double seconds = last_ && first_.uptime && last_->uptime ? std::max(0.0, *last_->uptime - *first_.uptime) : 0;
  const auto earlier = [&](const auto& member) { return last_ ? std::optional(member) : std::nullopt; };

  std::vector<finding> out = {clock_source(host_), time_stamp_counter(host_), timer_slack(host_, worker_)};
  for (finding& each : realtime_findings(host_, worker_)) out.push_back(std::move(each));
  out.push_back(container_quota(now.quota));
  out.push_back(quota_throttling(earlier(first_.quota), now.quota));
  if (worker_.thread) {
    out.push_back(worker_waits(last_ ? first_.worker : std::nullopt, now.worker, worker_, seconds));
    if (auto load = worker_load(last_ ? first_.worker : std::nullopt, now.worker, worker_, seconds))
      out.push_back(std::move(*load));
  }
  if (worker_.cpu) {
    out.push_back(worker_cpu(host_, *worker_.cpu));
    out.push_back(visitors_->judged(seconds));
    out.push_back(interrupts_on(*worker_.cpu, last_ ? first_.interrupts : std::nullopt, now.interrupts, seconds));
    out.push_back(interrupt_affinity(host_, *worker_.cpu));
  } else {
    out.push_back(isolated_cpus(host_));
    if (worker_.thread) out.push_back(worker_affinity(host_, worker_));
  }
  out.push_back(idle_states(host_, worker_));
  out.push_back(stolen_time(worker_.cpu, last_ ? first_.processors : std::nullopt, now.processors, seconds));
  for (const auto probe : {frequency_governor, transparent_huge_pages, huge_page_defrag, locked_memory_limit}) {
    out.push_back(probe(host_));
  }
  put_worst_first(out);
  return out;
}

host_watch::host_watch(worker_facts worker, host_files host)
    : notes_(std::make_unique<notes>(worker, std::move(host))) {}
host_watch::host_watch(host_watch&&) noexcept = default;
host_watch& host_watch::operator=(host_watch&&) noexcept = default;
host_watch::~host_watch() = default;

void host_watch::look() { notes_->look(); }
void host_watch::look(const host_files& later) { notes_->look(later); }
std::vector<finding> host_watch::findings() const { return notes_->findings(); }
driver_evidence host_watch::evidence() const { return notes_->evidence(); }

std::vector<finding> examine(const worker_facts& worker, duration length) {
  constexpr int samples = 20;
  progress_line progress;
  const std::string span = time_text(static_cast<double>(length.count()));
  progress.show(fmt::format("watching for {} ...", span));
  host_watch watch(worker);
  std::optional<engine_lateness> engines;
  if (worker.process) engines.emplace(*worker.process);
  for (int i = 0; i < samples; ++i) {
    const auto began = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(length / samples);
    const duration slept = std::chrono::steady_clock::now() - began;
    watch.look();
    // The looks at the host take time as well, which must not count as a halt.
    if (engines) engines->look((length / samples + (std::chrono::steady_clock::now() - began - slept)).count());
  }
  std::vector<finding> out = watch.findings();
  if (engines)
    for (finding& each : engines->findings()) out.push_back(std::move(each));
  progress.show(fmt::format("measuring for about {} ...", span));
  for (finding& each : measure_jitter(length)) out.push_back(std::move(each));
  put_worst_first(out);
  return out;
}

}  // namespace detent::tool
