// SPDX-License-Identifier: MIT
// Every call that was made, and how often it ended.
#pragma once

#include "retry.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rpc {

class call_ledger {
 public:
  // Returns the call's number.
  std::size_t begin() {
    most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
    ends_.push_back(0);
    return ends_.size() - 1;
  }
  void end(std::size_t call, call_result how, std::chrono::nanoseconds took, bool in_time) {
    --in_flight_;
    ++ends_[call];
    ++results_[static_cast<std::size_t>(how)];
    in_time_ += in_time ? 1 : 0;
    took_.push_back(took);
  }
  void add(const call_ledger& other) {
    ends_.insert(ends_.end(), other.ends_.begin(), other.ends_.end());
    took_.insert(took_.end(), other.took_.begin(), other.took_.end());
    for (std::size_t i = 0; i < results_.size(); ++i) results_[i] += other.results_[i];
    in_flight_ += other.in_flight_;
    most_in_flight_ = std::max(most_in_flight_, other.most_in_flight_);
    in_time_ += other.in_time_;
  }

  std::size_t calls() const { return ends_.size(); }
  bool each_ended_once() const {
    return std::all_of(ends_.begin(), ends_.end(), [](std::uint8_t times) { return times == 1; });
  }
  std::uint64_t ended(call_result how) const { return results_[static_cast<std::size_t>(how)]; }
  // Before the load was over.
  std::uint64_t ended_in_time() const { return in_time_; }
  std::uint64_t most_in_flight() const { return most_in_flight_; }
  const std::vector<std::chrono::nanoseconds>& took() const { return took_; }

 private:
  std::vector<std::uint8_t> ends_;
  std::vector<std::chrono::nanoseconds> took_;
  std::array<std::uint64_t, 4> results_{};
  std::uint64_t in_flight_ = 0;
  std::uint64_t most_in_flight_ = 0;
  std::uint64_t in_time_ = 0;
};

}  // namespace rpc
