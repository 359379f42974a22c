// SPDX-License-Identifier: MIT
// The accounts of one engine's timers, and the totals that must agree with the engine's own.
#pragma once

#include "storm/account.hpp"
#include "storm/crew.hpp"

#include <cstddef>
#include <vector>

namespace stress {

// One thread's counts; no other thread touches them before they are added up.
struct alignas(64) tally {
  std::uint64_t operations = 0, threads = 0, engines = 0;
  std::uint64_t scheduled = 0, refused = 0, restarted = 0;
  std::uint64_t cancelled = 0, cancelled_silent = 0;  // by this thread's calls
  // Lives that were found ended when their account was used again.
  std::uint64_t ended_fired = 0, ended_cancelled = 0, ended_returned = 0, ended_silent = 0;

  void count_end(outcome how) noexcept;
  tally& operator+=(const tally& other) noexcept;
};

class ledger {
 public:
  ledger(std::size_t accounts, detent::duration tick);

  account& any(random_numbers& random) noexcept { return accounts_[random.below(accounts_.size())]; }
  engine_facts& facts() noexcept { return facts_; }

  // --- The rest: while no thread uses it. ---

  void add(const tally& of_a_thread) noexcept { total_ += of_a_thread; }
  // Takes the result of stop(), each entry of which is a life that has not ended. Runs the callbacks of some.
  void returned(std::vector<detent::unfired_timer>&& left, random_numbers& random);
  // The engine is gone, and with it the timers that have no capture to say so.
  void end_all();
  // Waits until each life has ended, which it must within a minute. Cancels those that go on until they are cancelled.
  void await_ends();
  // Each life has ended in exactly one way, and nothing is left of it.
  void settle();
  // The same, and the totals agree, with the engine's own as well. `exact_drops`: all timers that ended without a word
  // to their account have run once or were dropped.
  void balance(const detent::engine_metrics& reported, bool may_drop, bool exact_drops);

  const tally& total() const noexcept { return total_; }

 private:
  std::vector<account> accounts_;
  engine_facts facts_;
  tally total_;
  std::uint64_t runs_ = 0;
};

}  // namespace stress
