// SPDX-License-Identifier: MIT
// One term of holding the lock, and the permits to act that it gives.
#pragma once

#include "boot_clock.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lease {

// The lock was ours at `checked`, and nobody else's before `until`. It goes with what is done under the lock: the
// resource refuses what comes later, or with a fence below the highest it has seen.
struct permit {
  std::int64_t fence;
  boot_time checked;
  boot_time until;
};

// From a grant to its end. Any thread may ask; what has ended stays so.
class term {
 public:
  term(std::string token, std::int64_t fence, boot_time until)
      : token_(std::move(token)), fence_(fence), until_(until) {}

  // Decided by the clock, at the moment of the question: no timer need have fired, no thread have run.
  std::optional<permit> still_mine() const noexcept {
    const permit asked{fence_, boot_clock::now(), until()};
    return asked.checked < asked.until ? std::optional(asked) : std::nullopt;
  }
  // Higher than that of every term before.
  std::int64_t fence() const noexcept { return fence_; }
  // The token by which redis knows this term.
  const std::string& token() const noexcept { return token_; }
  boot_time until() const noexcept { return until_.load(std::memory_order_relaxed); }

 private:
  friend class watchdog;
  static constexpr boot_time ended{};

  // By the watchdog alone. False: it had ended, and has not been revived.
  bool extend(boot_time until) noexcept {
    boot_time seen = this->until();
    return boot_clock::now() < seen && until_.compare_exchange_strong(seen, until, std::memory_order_relaxed);
  }
  void end() noexcept { until_.store(ended, std::memory_order_relaxed); }

  const std::string token_;
  const std::int64_t fence_;
  // Relaxed throughout: it is a limit to compare the clock with, and publishes nothing else.
  std::atomic<boot_time> until_;
};

}  // namespace lease
