// SPDX-License-Identifier: MIT
// What the suites of the wake-up have in common: when things happen, and wheels that know when they did.
#pragma once

#include "drive.hpp"

#include <algorithm>
#include <cstdint>

namespace model {

// The wake time announced before, which has come; what is submitted; what the driver waits for otherwise.
constexpr nanoseconds_t soon = 3, earliest = 40, early = 50, late = 100;

// Entries are deadlines.
struct deadlines : no_groups {
  nanoseconds_t known = late;

  void take(std::uint64_t entry) { known = std::min(known, static_cast<nanoseconds_t>(entry)); }
  nanoseconds_t next() const { return known; }
  void rescan() {}
};

template <std::uint32_t Producers>
void submit(front<Producers>& shared, std::uint32_t producer, nanoseconds_t deadline) {
  shared.submit(producer, static_cast<std::uint64_t>(deadline), deadline);
}

// The entries' timers have been cancelled, so that the wheel learns no deadline from them.
struct all_entries : no_groups {
  explicit all_entries(unsigned entries) : wanted(entries) {}
  unsigned wanted, taken = 0;

  void take(std::uint64_t) { ++taken; }
  nanoseconds_t next() const { return taken == wanted ? earliest : late; }
  void rescan() {}
};

template <std::uint32_t Producers, bool Asymmetric>
front<Producers>& make_front(execution& run) {
  auto& shared = run.make<front<Producers>>("front");
  shared.bell.allow_asymmetric(Asymmetric);
  if (Asymmetric) shared.bell.begin_asymmetric();
  shared.bell.raise(soon);
  return shared;
}

}  // namespace model
