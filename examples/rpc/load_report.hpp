// SPDX-License-Identifier: MIT
// What a load came to with one kind of timers, and how it is printed.
#pragma once

#include "call_ledger.hpp"
#include "client.hpp"
#include "connection.hpp"
#include "timer_ledger.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace rpc {

// The sum of all runs with these timers.
struct load_report {
  std::string timer_name = {};
  double seconds = 0;
  double processor_seconds = 0;  // of the client
  call_ledger calls = {};
  timer_ledger timers = {};
  std::optional<bool> timers_agree = {};  // what they count themselves, if they do, is what the ledger says
  client_tally attempts = {};
  connection_tally wire = {};
  std::uint64_t retries = 0;
  std::uint64_t hedges = 0;
  bool budgets_kept = true;

  double calls_per_second() const { return static_cast<double>(calls.ended_in_time()) / seconds; }
  double processor_us_per_call() const { return processor_seconds * 1e6 / static_cast<double>(calls.calls()); }
  double cancelled_percent() const {
    return 100 * static_cast<double>(timers.disarmed) / static_cast<double>(timers.armed);
  }
};

// A column for each report; if there are two, one more with their ratios.
void print(std::span<const load_report> reports);
// Says for each promise whether it was kept; true if all were. At least `least_cancelled` per cent of all timers shall
// have been cancelled, if it is given.
bool check(const load_report& report, std::optional<double> least_cancelled);

}  // namespace rpc
