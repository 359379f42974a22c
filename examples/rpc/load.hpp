// SPDX-License-Identifier: MIT
// Many callers, each with one call in flight at any time, and what came of them.
#pragma once

#include "call_ledger.hpp"
#include "client.hpp"
#include "load_report.hpp"

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rpc {

struct load_options {
  std::vector<tcp::endpoint> servers;
  std::chrono::nanoseconds length = std::chrono::seconds(2);
  std::size_t callers = 10000;
  client_policy policy;
  std::uint64_t seed = 1;
};

// User and system time of all threads of this program.
inline std::chrono::nanoseconds processor_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto span = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return span(used.ru_utime) + span(used.ru_stime);
}

// One run. Callers stop when its time is over, or at SIGTERM or SIGINT, and each ends its last call.
template <class Timers>
class load {
 public:
  explicit load(const load_options& options)
      : length_(options.length),
        timers_(io_),
        client_(io_, timers_, options.servers, options.policy, options.seed),
        callers_(options.callers) {}

  // An exception in it is a fault of this program, and ends it: calls in flight cannot be unwound.
  void run(load_report& report) noexcept;
  // Returns whether a signal has ended it.
  bool interrupted() const { return interrupted_; }

 private:
  awaitable<void> caller();
  void finish();
  bool over() const { return steady::now() >= end_; }
  void add_to(load_report& report) const;

  std::chrono::nanoseconds length_;
  asio::io_context io_{1};
  Timers timers_;
  client<Timers> client_;
  asio::signal_set signals_{io_, SIGTERM, SIGINT};
  std::size_t callers_;
  call_ledger ledger_;
  steady::time_point end_;
  std::chrono::nanoseconds processor_before_{};
  std::chrono::nanoseconds processor_used_{};
  bool interrupted_ = false;
};

template <class Timers>
void load<Timers>::run(load_report& report) noexcept {
  signals_.async_wait([this](error_code cancelled, int) {
    if (cancelled) return;
    interrupted_ = true;
    end_ = steady::now();
  });
  client_.open();
  processor_before_ = processor_time();
  const steady::time_point begin = steady::now();
  end_ = begin + length_;
  for (std::size_t i = 0; i < callers_; ++i) start(io_.get_executor(), caller());
  io_.run();
  report.seconds += std::chrono::duration<double>(end_ - begin).count();

  io_.restart();
  client_.close();
  io_.run_for(std::chrono::seconds(2));  // until the servers have heard everything
  add_to(report);
}

template <class Timers>
awaitable<void> load<Timers>::caller() {
  while (!over()) {
    const std::size_t id = ledger_.begin();
    const steady::time_point begin = steady::now();
    const call_result result = co_await client_.call(static_cast<std::uint32_t>(id));
    ledger_.end(id, result, steady::now() - begin, !over());
  }
  if (--callers_ == 0) finish();
}

template <class Timers>
void load<Timers>::finish() {
  processor_used_ = processor_time() - processor_before_;
  signals_.cancel();
  io_.stop();
}

template <class Timers>
void load<Timers>::add_to(load_report& report) const {
  report.processor_seconds += std::chrono::duration<double>(processor_used_).count();
  report.calls.add(ledger_);
  report.timers.add(timers_.ledger());
  if (const std::optional<bool> agrees = timers_.agrees())
    report.timers_agree = report.timers_agree.value_or(true) && *agrees;
  report.attempts.add(client_.tally());
  for (const connection& link : client_.connections()) report.wire.add(link.tally());
  report.retries += client_.retries().taken();
  report.hedges += client_.hedges().taken();
  report.budgets_kept = report.budgets_kept && client_.retries().kept() && client_.hedges().kept();
}

}  // namespace rpc
