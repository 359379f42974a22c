// SPDX-License-Identifier: MIT
#include "doctor/idle_costs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>

#include "doctor/idle_states.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/precise_wait.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr const char* kernels_device = "/dev/cpu_dma_latency";
constexpr std::int32_t no_limit = 2'000'000'000;  // microseconds; the kernel's default

std::string text_of(std::int64_t ns) { return time_text(static_cast<double>(ns)); }
std::int64_t longest(const idle_cost& of) { return *std::max_element(of.late.begin(), of.late.end()); }

// The kernel forgets the request when the descriptor is closed.
class latency_device {
 public:
  explicit latency_device(const char* path) : descriptor_(::open(path, O_RDWR | O_CLOEXEC)) {
    if (descriptor_ < 0) denied_ = std::strerror(errno);
  }
  latency_device(const latency_device&) = delete;
  latency_device& operator=(const latency_device&) = delete;
  ~latency_device() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  const std::string& denied() const { return denied_; }
  // Returns the limit that the whole machine is held to now.
  std::optional<long long> in_force() const {
    std::int32_t us = no_limit;
    if (descriptor_ < 0 || ::pread(descriptor_, &us, sizeof us, 0) != sizeof us || us >= no_limit) return std::nullopt;
    return us;
  }
  void hold(std::optional<long long> limit) {
    const std::int32_t us = limit ? static_cast<std::int32_t>(*limit) : no_limit;
    if (descriptor_ >= 0 && ::write(descriptor_, &us, sizeof us) != sizeof us) denied_ = std::strerror(errno);
  }

 private:
  const int descriptor_;
  std::string denied_;
};

// Returns one limit for each latency except the longest, which allows as much as no limit. If the kernel lists no
// states, it returns only polling.
std::vector<idle_cost> limits_worth_trying(const std::vector<idle_state>& states) {
  std::map<long long, std::string, std::greater<>> by_latency;
  for (const idle_state& each : states) {
    if (!each.off && each.latency < no_limit) by_latency[each.latency] = each.name;
  }
  if (!by_latency.empty()) by_latency.erase(by_latency.begin());
  if (by_latency.empty()) by_latency[0] = "";
  std::vector<idle_cost> out = {{.limit = std::nullopt}};
  for (const auto& [latency, name] : by_latency) out.push_back({.limit = latency, .deepest = name});
  return out;
}

std::string row(const idle_cost& each) {
  std::vector<std::string> late;
  for (const std::int64_t ns : each.late) late.push_back(text_of(ns));
  if (!each.limit) return fmt::format("{}", fmt::join(late, ", "));
  return fmt::format("with a limit of {} us{}: {}", *each.limit,
                     each.deepest.empty() ? "" : fmt::format(" ({})", each.deepest), fmt::join(late, ", "));
}

std::string table(const idle_measurement& measured) {
  std::vector<std::string> lengths, rows;
  for (const duration each : idle_sleeps) lengths.push_back(text_of(each.count()));
  for (const idle_cost& each : measured.costs) rows.push_back(row(each));
  return fmt::format("sleeps of {} end late by (p50) {}{}", fmt::join(lengths, ", "), fmt::join(rows, "; "),
                     measured.others ? fmt::format("; another process holds a limit of {} us", *measured.others) : "");
}

// Without a limit to compare with, judges whether longer sleeps end later.
finding judged_by_length(const idle_measurement& measured, finding out, const char* device) {
  constexpr std::int64_t grown = 20'000;
  const std::int64_t least = measured.costs[0].late.front(), most = measured.costs[0].late.back();
  out.where = device;
  out.seen += fmt::format("; with a limit: not measured, {}", measured.denied);
  if (most - least <= grown || most <= 2 * least) return out;
  out.judged = severity::note;
  out.meaning =
      fmt::format("long sleeps end {} later than short ones, perhaps because leaving the idle states takes that long",
                  text_of(most - least));
  out.cure =
      fmt::format("run the doctor as a user who may open {}: it then says whether cpu_latency_limit pays", device);
  return out;
}

}  // namespace

idle_measurement measure_idle_costs(const host_files& host, duration length, const char* device) {
  constexpr int rounds = 3;
  set_fine_timer_slack();
  latency_device holding(device);
  idle_measurement out{.costs = limits_worth_trying(idle_states_of(host, std::nullopt).states),
                       .denied = holding.denied(),
                       .others = holding.in_force()};
  if (!out.denied.empty()) out.costs.resize(1);
  std::vector<std::array<lateness_log, idle_sleeps.size()>> seen(out.costs.size());
  const duration share = length / (rounds * out.costs.size() * idle_sleeps.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      holding.hold(out.costs[i].limit);
      for (std::size_t k = 0; k < idle_sleeps.size(); ++k) seen[i][k].merge(sleeps_of(idle_sleeps[k], share));
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t k = 0; k < idle_sleeps.size(); ++k) out.costs[i].late[k] = seen[i][k].percentile(50);
  }
  if (out.denied.empty()) out.denied = holding.denied();
  return out;
}

finding judged(const idle_measurement& measured, const char* device) {
  finding out{"cost of idle states", severity::unknown, table(measured)};
  if (!measured.denied.empty()) return judged_by_length(measured, std::move(out), device);
  out.judged = severity::fine;
  const std::int64_t unlimited = longest(measured.costs[0]);
  std::int64_t best = unlimited;
  for (const idle_cost& each : measured.costs) best = std::min(best, longest(each));
  constexpr std::int64_t worth_naming = 5'000, as_good = 2'000;
  if (unlimited - best < worth_naming || best > unlimited * 7 / 10) return out;
  // Picks the loosest limit that is as good as any, because deeper states heat the CPU less.
  const auto pays = std::find_if(measured.costs.begin() + 1, measured.costs.end(), [&](const idle_cost& each) {
    return longest(each) <= best + std::max(as_good, best / 10);
  });
  out.judged = severity::note;
  out.meaning = fmt::format("idle states make a worker that sleeps {} later; hybrid() spins as long before deadlines",
                            text_of(unlimited - longest(*pays)));
  out.cure = fmt::format("engine_options::cpu_latency_limit = {}us{}", *pays->limit,
                         *pays->limit == 0 ? "; the price is power: while it is held, idle cores poll" : "");
  return out;
}

finding cost_of_idle_states(duration length) {
  return judged(measure_idle_costs(host_files(), length, kernels_device), kernels_device);
}

}  // namespace detent::tool
