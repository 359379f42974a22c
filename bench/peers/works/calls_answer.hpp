// SPDX-License-Identifier: MIT
// The parameters and the answer of the work `calls`.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../common/delays.hpp"
#include "../common/process_readings.hpp"
#include "../common/stamp.hpp"
#include "../system.hpp"

namespace peers {

struct calls_plan {
  explicit calls_plan(const request& wanted);

  // Chooses a slot below `live`.
  std::size_t choose() { return static_cast<std::size_t>(victims.next().count()) % live; }

  static constexpr std::int64_t between_ns = 1'000;  // between two steps
  std::uint64_t live, steps;
  delays ahead{std::chrono::microseconds(50), std::chrono::milliseconds(50)};
  delays victims{nanoseconds(0), std::chrono::seconds(1), 1};
};

// How long each of many calls took.
class call_times {
 public:
  explicit call_times(std::size_t most) : stamps_(most) {}

  template <class Call>
  void time(Call call) {
    const std::uint64_t before = stamp();
    call();
    stamps_[count_++] = stamp() - before;
  }
  // Returns the time, in stamps, that this share of calls, from 0 to 1, did not exceed. Sorts them again.
  std::uint64_t percentile(double share);
  std::size_t count() const { return count_; }

 private:
  std::vector<std::uint64_t> stamps_;
  std::size_t count_ = 0;
};

// Returns percentiles in nanoseconds, from NAME_p50_ns to NAME_p9999_ns, without calls that were not made. Each
// includes the cost of two successive stamps, which the answer has as stamp_ns.
answer calls_answer(const stopwatch& watch, std::vector<std::pair<std::string, call_times>> calls);

// Spins until the instant. Returns the time, which is later.
std::int64_t wait_until_ns(std::int64_t instant_ns);

}  // namespace peers
