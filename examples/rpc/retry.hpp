// SPDX-License-Identifier: MIT
// A call is a few attempts within one deadline.
#pragma once

#include "coroutines.hpp"
#include "token_budget.hpp"

#include <detent/recipes/backoff.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rpc {

struct retry_policy {
  std::chrono::nanoseconds timeout = std::chrono::seconds(2);   // of one attempt
  std::chrono::nanoseconds deadline = std::chrono::seconds(5);  // of all attempts together
  int attempts = 4;
};

enum class attempt_result : std::uint8_t { answered, timed_out, disconnected };
enum class call_result : std::uint8_t { answered, deadline_exceeded, attempts_used_up, budget_used_up };

// attempt(limit) is one attempt, which ends at `limit` at the latest, and returns awaitable<attempt_result>.
template <class Timers, class Attempt>
awaitable<call_result> with_retries(Timers& timers, retry_policy policy, detent::recipes::backoff pauses,
                                    token_budget& budget, Attempt attempt) {
  const auto deadline = timers.now() + policy.deadline;
  budget.earn();
  for (int count = 1;; ++count) {
    const auto limit = std::min(timers.now() + policy.timeout, deadline);
    const attempt_result result = co_await attempt(limit);
    if (result == attempt_result::answered) co_return call_result::answered;
    if (count == policy.attempts) co_return call_result::attempts_used_up;

    const std::chrono::nanoseconds pause = pauses.next();
    if (timers.now() + pause >= deadline) co_return call_result::deadline_exceeded;
    if (!budget.take()) co_return call_result::budget_used_up;
    co_await timers.sleep(pause);
  }
}

}  // namespace rpc
