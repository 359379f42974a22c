// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "doctor/cpu_quota.hpp"
#include "doctor/machine_watch.hpp"
#include "host/host_files.hpp"
#include "host/thread_table.hpp"
#include "lateness/driver_evidence.hpp"

namespace detent::tool {

// Adds up, over a series of readings, what /proc reports about the thread that drives an engine.
class driver_watch {
 public:
  // `worker` is the engine's thread. Without it, a caller drives the engine, from any thread of the process.
  driver_watch(long long process, std::optional<long long> worker) : process_(process), worker_(worker) {}

  // `overdue` says by how many nanoseconds a timer of the engine is overdue. `hands_over` says that the engine has
  // executors; the threads of the process beside the worker stand for theirs.
  void look(const host_files& host, const machine_watch& machine, std::int64_t overdue, bool hands_over);

  const driver_evidence& evidence() const { return evidence_; }
  // The driver's thread at the last look, if it was found.
  const std::optional<thread_facts>& driver() const { return driver_; }
  // The share of time, from 0 to 1, for which it waited for a CPU between the last two looks.
  double waiting() const { return evidence_.waiting; }
  void take_rival(std::string rival) { evidence_.rival = std::move(rival); }

 private:
  using threads = std::map<long long, thread_facts>;

  threads read_threads(const host_files& host) const;
  void take_machine(const machine_watch& machine, bool first);
  void take_driver(const threads& now, std::int64_t length);
  void take_others(const threads& now);
  void take_stops(const threads& now, bool all, bool frozen, std::int64_t length, std::int64_t overdue);
  void take_quota(const host_files& host);

  long long process_;
  std::optional<long long> worker_;
  threads last_;
  bool last_has_all_ = false;  // threads of the process
  std::optional<thread_facts> driver_;
  std::optional<cpu_quota> quota_;
  driver_evidence evidence_;
  bool looked_ = false, frozen_ = false;
  std::int64_t looked_at_ = 0;
  int cpu_ = -1;
  std::int64_t stolen_ = 0, halted_ = 0;  // as of the last look
  std::int64_t stop_ = 0, quiet_ = 0;     // the length of the one under way
};

}  // namespace detent::tool
