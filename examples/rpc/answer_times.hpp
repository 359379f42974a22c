// SPDX-License-Identifier: MIT
// What becomes of a request that a server has received, drawn at random.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>

namespace rpc {

struct answer_policy {
  double median_ms = 200;
  double spread = 0.2;  // sigma of the logarithm: of 95 in 100, the answer takes less than exp(1.64 * spread) medians
  double drop = 0;      // this share is never answered
  double stall = 0;     // this share is answered late
  double stall_ms = 5000;
};

class answer_times {
 public:
  answer_times(const answer_policy& policy, std::uint64_t seed)
      : policy_(policy), random_(seed), logarithm_(std::log(policy.median_ms), policy.spread) {}

  // How long the next request takes. Nothing: it is dropped.
  std::optional<std::chrono::nanoseconds> draw() {
    const double fate = share_(random_);
    if (fate < policy_.drop) return std::nullopt;
    const double ms = fate < policy_.drop + policy_.stall ? policy_.stall_ms : logarithm_(random_);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms));
  }

 private:
  answer_policy policy_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> share_{0, 1};
  std::lognormal_distribution<double> logarithm_;
};

}  // namespace rpc
