// SPDX-License-Identifier: MIT
// A limit on the retries that all callers of a service make together.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/recipes/detail/bad_input.hpp>
#include <detent/recipes/rate_limiter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace detent::recipes {

struct retry_budget_options {
  double share = 0.1;             // retries that one success pays for: 0 to 1,000
  std::uint32_t most = 100;       // the most that are saved up, and the number at the beginning; at least 1
  std::uint32_t per_second = 10;  // retries that are free each second, however few calls succeed
};

// When a service is down, every call of every caller fails, and retries multiply the load that it cannot take. A budget
// that they share lets retries be a share of the calls that succeed, and no more. It works like the retry throttling of
// gRPC and the RetryBudget of Finagle.
//
//   auto budget = std::make_shared<retry_budget>(engine);
//   retry_policy policy{.budget = budget};   // for each call of the service
//
// Threads: any, at once. Cost: an atomic addition a success, one or two compare-and-swaps a retry; no lock, no
// allocation. Errors: the constructor throws invalid_option. Lifetime: it may outlive the engine, which may be moved;
// retries share it.
class retry_budget {
 public:
  explicit retry_budget(detail::place on, const retry_budget_options& options = {})
      : gain_(checked_gain(options)),
        most_(std::int64_t{options.most} * whole),
        has_free_(options.per_second != 0),
        free_(std::move(on),
              {.permits = has_free_ ? options.per_second : 1, .burst = has_free_ ? options.per_second : 1}),
        saved_(most_) {}
  retry_budget(const retry_budget&) = delete;
  retry_budget& operator=(const retry_budget&) = delete;

  // Notes that a call has succeeded, the first time or by a retry.
  void note_success() noexcept {
    // relaxed, everywhere: only the number itself is shared.
    std::int64_t saved = saved_.load(base::relaxed);
    while (saved < most_ && !saved_.compare_exchange_weak(saved, (std::min)(most_, saved + gain_), base::relaxed)) {
    }
  }
  // True: there may be one more retry, and the budget has paid for it.
  bool try_spend() noexcept {
    std::int64_t saved = saved_.load(base::relaxed);  // relaxed: see note_success()
    while (saved >= whole) {
      if (saved_.compare_exchange_weak(saved, saved - whole, base::relaxed)) return true;
    }
    return has_free_ && free_.try_acquire();
  }
  // How many retries are saved up, without the free ones.
  double saved() const noexcept {
    return static_cast<double>(saved_.load(base::relaxed)) / whole;  // relaxed: see note_success()
  }

 private:
  static constexpr std::int64_t whole = 1'000'000;  // stands for one retry; shares are exact to a millionth

  static std::int64_t checked_gain(const retry_budget_options& options) {
    if (!(options.share >= 0 && options.share <= 1000))
      detail::refuse_option("retry_budget: share = " + std::to_string(options.share) + ": must be 0 to 1,000");
    if (options.most == 0) detail::refuse_option("retry_budget: most = 0: must be at least 1");
    return std::llround(options.share * static_cast<double>(whole));
  }

  const std::int64_t gain_, most_;  // in millionths of a retry
  const bool has_free_;
  rate_limiter free_;
  base::atomic<std::int64_t> saved_;
};

}  // namespace detent::recipes
