// SPDX-License-Identifier: MIT
// The pauses between the attempts of one call: exponential, with jitter.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace rpc {

struct backoff_policy {
  std::chrono::nanoseconds first = std::chrono::milliseconds(20);
  std::chrono::nanoseconds longest = std::chrono::milliseconds(500);
};

// Each pause is drawn between the half and the whole of a span, which doubles until it is the longest. So callers that
// failed together do not come back together, and none comes back at once.
class backoff {
 public:
  backoff(const backoff_policy& policy, std::mt19937_64& random) : policy_(policy), random_(&random) {}

  std::chrono::nanoseconds next() {
    const std::int64_t span = std::min(policy_.first, policy_.longest).count();
    policy_.first = std::min(policy_.first, policy_.longest / 2) * 2;
    return std::chrono::nanoseconds(std::uniform_int_distribution<std::int64_t>(span - span / 2, span)(*random_));
  }

 private:
  backoff_policy policy_;  // `first` is the next span
  std::mt19937_64* random_;
};

}  // namespace rpc
