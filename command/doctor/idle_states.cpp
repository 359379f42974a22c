// SPDX-License-Identifier: MIT
#include "doctor/idle_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace detent::tool {
namespace {

// Microseconds. A core that wakes up within the first is as good as awake; hybrid() spins for at most the second by
// default.
constexpr long long as_good_as_awake = 10, spun_by_default = 200;

bool is_a_name(const std::string& text) {
  return !text.empty() && text.size() < 32 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Adds what one CPU says about the state. Returns false if a name or number is malformed; `listing` then says what.
bool add(const host_files& host, int cpu, std::size_t number, idle_state& to, idle_listing& listing) {
  const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/cpuidle/state{}/", cpu, number);
  const auto text_of = [&](const char* file) {
    listing.nonsense_in = directory + file;
    return listing.nonsense = host.read(listing.nonsense_in).value_or("");
  };
  const std::string name = text_of("name");
  if (!is_a_name(name)) return false;
  const auto latency = number_in(text_of("latency"));
  if (!latency || *latency < 0) return false;
  const auto residency = number_in(text_of("residency"));
  if (!residency || *residency < 0) return false;
  const auto off = number_in(text_of("disable"));
  if (!off) return false;
  listing.nonsense_in = listing.nonsense = "";
  if (to.name.empty()) to = {.name = name, .latency = 0, .residency = 0, .off = true};
  to.latency = std::max(to.latency, *latency);
  to.residency = std::max(to.residency, *residency);
  to.off = to.off && *off != 0;
  return true;
}

std::string listed(const std::vector<idle_state>& states) {
  std::vector<std::string> on, off;
  for (const idle_state& each : states) {
    if (each.off)
      off.push_back(each.name);
    else
      on.push_back(fmt::format("{} {} ({})", each.name, each.latency, each.residency));
  }
  return fmt::format("exit latency (and least residency) in us: {}{}", fmt::join(on, ", "),
                     off.empty() ? "" : fmt::format("; off: {}", fmt::join(off, ", ")));
}

}  // namespace

idle_listing idle_states_of(const host_files& host, std::optional<int> cpu) {
  idle_listing out;
  for (std::size_t number = 0;; ++number) {
    idle_state each;
    for (const auto& [of, name] : host.of_each_cpu(fmt::format("cpuidle/state{}/name", number))) {
      if (cpu && of != *cpu) continue;
      if (!add(host, of, number, each, out)) return out;
    }
    if (each.name.empty()) return out;
    out.states.push_back(each);
  }
}

finding idle_states(const host_files& host, const worker_facts& worker) {
  const std::string subject = "idle states";
  const std::string where = fmt::format("/sys/devices/system/cpu/cpu{}/cpuidle",
                                        worker.cpu ? fmt::format("{}", *worker.cpu) : std::string("*"));
  const idle_listing listing = idle_states_of(host, worker.cpu);
  if (!listing.nonsense_in.empty()) return not_understood(subject, listing.nonsense_in, listing.nonsense);
  if (listing.states.empty()) {
    return {subject, severity::unknown, "the kernel shows none; a virtual machine's are those of the host below",
            where};
  }
  const idle_state* deepest = nullptr;
  long long near_awake = 0;
  for (const idle_state& each : listing.states) {
    if (each.off) continue;
    if (deepest == nullptr || each.latency > deepest->latency) deepest = &each;
    if (each.latency <= as_good_as_awake) near_awake = std::max(near_awake, each.latency);
  }
  const std::string seen = listed(listing.states);
  if (deepest == nullptr || deepest->latency <= as_good_as_awake || worker.wait == wait_options::kind::busy) {
    return {subject, severity::fine, seen, where};
  }
  const bool beyond_the_spin = deepest->latency > spun_by_default;
  return {subject,
          beyond_the_spin ? severity::warning : severity::note,
          seen,
          where,
          fmt::format("a core in {} wakes a worker up to {} us late; {}", deepest->name, deepest->latency,
                      beyond_the_spin ? "hybrid() spins for 200 us at most, unless max_spin is longer"
                                      : "hybrid() makes up for it by spinning as long before each deadline"),
          fmt::format("engine_options::cpu_latency_limit = {0}us for the time before deadlines; for all time: "
                      "cpupower idle-set -D {0}",
                      near_awake)};
}

}  // namespace detent::tool
