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

// Adds up what /proc reports about the thread that drives an engine, from one reading to the next.
class driver_watch {
 public:
  // `worker`: the engine's; none: a caller drives it, by any thread of the process.
  driver_watch(long long process, std::optional<long long> worker) : process_(process), worker_(worker) {}

  // `overdue`: by how many nanoseconds a timer of the engine is overdue.
  void look(const host_files& host, const machine_watch& machine, std::int64_t overdue);

  const driver_evidence& evidence() const { return evidence_; }
  // The driver's thread, as it was at the last look; none if it was not found.
  const std::optional<thread_facts>& driver() const { return driver_; }
  // Its share of the time between the last two looks that it waited for a CPU, 0 to 1.
  double waiting() const { return waiting_; }
  void take_rival(std::string rival) { evidence_.rival = std::move(rival); }

 private:
  using threads = std::map<long long, thread_facts>;

  threads read_threads(const host_files& host) const;
  void take_machine(const machine_watch& machine, bool first);
  void take_driver(const threads& now, std::int64_t length);
  void take_stops(const threads& now, bool all, std::int64_t length, std::int64_t overdue);
  void take_quota(const host_files& host);

  long long process_;
  std::optional<long long> worker_;
  threads last_;
  bool last_has_all_ = false;  // threads of the process
  std::optional<thread_facts> driver_;
  std::optional<cpu_quota> quota_;
  driver_evidence evidence_;
  bool looked_ = false;
  std::int64_t looked_at_ = 0;
  int cpu_ = -1;
  std::int64_t stolen_ = 0, halted_ = 0;  // as of the last look
  std::int64_t stop_ = 0, quiet_ = 0;     // how long the present one lasts
  double waiting_ = 0;
};

}  // namespace detent::tool
