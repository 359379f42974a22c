// SPDX-License-Identifier: MIT
// The accounts of a round, and the totals that must agree with the engine's own.
#pragma once

#include "support/account.hpp"
#include "support/random.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stress {

// One thread's counts; no other thread touches them before they are added up.
struct alignas(64) tally {
  std::uint64_t operations = 0;
  std::uint64_t scheduled = 0, refused = 0;
  std::uint64_t cancelled = 0;  // by this thread's calls
  std::uint64_t restarted = 0;
  // Lives that were found ended when their account was used again.
  std::uint64_t ended_fired = 0, ended_cancelled = 0, ended_returned = 0, ended_dropped = 0;

  void count_end(outcome how) noexcept;
  tally& operator+=(const tally& other) noexcept;
};

class ledger {
 public:
  // `window`: so many of them are in use at a time, where timers can end without a word; 0: all.
  explicit ledger(std::size_t accounts, std::size_t window = 0)
      : accounts_(accounts), window_(window == 0 ? accounts : window) {}

  account& at(std::size_t i) noexcept { return accounts_[i]; }
  account& any(random_numbers& random) noexcept {
    return accounts_[first_.load(std::memory_order_relaxed) + random.below(window_)];
  }
  // Counts the answer to a cancel. If the timer seems to have been dropped, whose account nobody can use again, the
  // window moves on.
  void take_note(tally& counts, const sighting& seen, detent::cancel_result answer) noexcept;
  // The window has come to the end.
  bool used_up() const noexcept {
    return window_ < size() && first_.load(std::memory_order_relaxed) + window_ >= size();
  }
  std::size_t size() const noexcept { return accounts_.size(); }

  // --- The rest: while no thread uses it. ---

  void add(const tally& of_a_thread) noexcept { total_ += of_a_thread; }
  // What stop() returned: each of them a life that is on. Runs the callbacks of some.
  void returned(std::vector<detent::unfired>&& left, random_numbers& random);
  // Lives whose end is not reported, as the timer was let go or destroyed with its engine. Returns how many.
  std::uint64_t end_silent(outcome how);
  // Waits until each life has ended, which it must within a minute.
  void await_ends();
  // Each life has ended in exactly one way, and nothing is left of it.
  void settle();
  // The same, and the totals agree, with the engine's own as well if they are given.
  void balance(const detent::engine_metrics* reported = nullptr);

  const tally& total() const noexcept { return total_; }

 private:
  std::vector<account> accounts_;
  std::size_t window_;
  std::atomic<std::size_t> first_{0};  // of the window
  tally total_;
};

}  // namespace stress
