// SPDX-License-Identifier: MIT
// Pauses between attempts: exponential, with jitter.
#pragma once

#include <detent/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>

namespace detent::recipes {

// How a pause is drawn from a span, so that callers that failed together do not come back together. The names are from
// Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
enum class jitter : std::uint8_t {
  none,         // the span itself
  full,         // 0 to the span: fewest collisions; sometimes at once
  equal,        // half of the span to the span: never at once
  decorrelated  // `first` to three times the last pause; ignores the span
};

struct backoff_policy {
  duration first = std::chrono::milliseconds(20);  // the first span
  duration longest = std::chrono::seconds(1);      // no pause is longer
  double factor = 2;                               // from span to span; less than 1, and NaN, count as 1
  jitter kind = jitter::equal;
};

// The pauses of one sequence of attempts.
//
// Threads: one at a time. Cost: a few nanoseconds a pause; the constructor without a seed asks std::random_device.
// Errors: none; a policy out of range is clamped (negative times are zero). Lifetime: a value.
class backoff {
 public:
  explicit backoff(const backoff_policy& policy = {}) : backoff(policy, random_seed()) {}
  // The same seed gives the same pauses on every platform.
  backoff(const backoff_policy& policy, std::uint64_t seed) noexcept : policy_(policy), random_(seed) {
    policy_.longest = (std::max)(policy_.longest, duration::zero());
    policy_.first = std::clamp(policy_.first, duration::zero(), policy_.longest);
    // Made finite, because infinity times zero is not a number.
    policy_.factor = policy_.factor > 1 ? (std::min)(policy_.factor, (std::numeric_limits<double>::max)()) : 1;
    reset();
  }

  duration next() noexcept {
    const duration span = span_;
    span_ = times(span, policy_.factor);
    switch (policy_.kind) {
      case jitter::none: return span;
      case jitter::full: return draw(duration::zero(), span);
      case jitter::equal: return draw(span - span / 2, span);
      case jitter::decorrelated: break;
    }
    last_ = draw(policy_.first, times(last_, 3));
    return last_;
  }
  // Starts again from the first span, as after a success. The random numbers go on.
  void reset() noexcept { span_ = last_ = policy_.first; }

  static std::uint64_t random_seed() {
    std::random_device entropy;
    return std::uint64_t{entropy()} << 32 | entropy();
  }

 private:
  duration times(duration span, double factor) const noexcept {
    const double product = static_cast<double>(span.count()) * factor;
    if (product >= static_cast<double>(policy_.longest.count())) return policy_.longest;
    return duration(static_cast<std::int64_t>(product));
  }
  // Draws from `least` to `most`, including both. The bias of the remainder is below one in a million for spans of less
  // than two hours.
  duration draw(duration least, duration most) noexcept {
    const auto width = static_cast<std::uint64_t>((most - least).count());
    return least + duration(static_cast<std::int64_t>(splitmix64() % (width + 1)));
  }
  // Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
  std::uint64_t splitmix64() noexcept {
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  backoff_policy policy_;
  std::uint64_t random_;
  duration span_{};
  duration last_{};
};

}  // namespace detent::recipes
