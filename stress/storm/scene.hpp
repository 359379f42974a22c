// SPDX-License-Identifier: MIT
// The data that the threads, callables and destructors of a round share, and the callables.
#pragma once

#include "storm/groups.hpp"
#include "storm/ledger.hpp"
#include "storm/moody_executor.hpp"
#include "storm/weights.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace stress {

class neighbours;

struct scene {
  weights odds;
  detent::engine_options options;
  std::shared_ptr<moody_executor> moody;  // null: another executor, or none
  std::size_t pool_threads = 0;
  bool starved = false, aged = false, in_step = false, stopped_in_midst = false, unstopped = false;
  bool may_drop = false;  // the executor lets go of timers, so that only a capture tells of a timer's end
  bool few_nodes = false;
  std::size_t accounts = 0;

  ledger* book = nullptr;
  detent::engine* engine = nullptr;
  std::vector<std::unique_ptr<shared_group>> groups;
  stress::neighbours* neighbours = nullptr;
  std::vector<detent::timer> first_handles;  // of an aged engine's nodes, from their first lives
  std::atomic<bool> over{false};             // no destructor calls back any more
  std::atomic<bool> gate{false};             // true: callables that starve a pool go on blocking it

  void add(const tally& counts) {
    std::lock_guard lock(mutex_);
    counts_ += counts;
  }
  tally counts() {
    std::lock_guard lock(mutex_);
    return counts_;
  }
  std::uint64_t next_seed() noexcept { return seed_.fetch_add(1, std::memory_order_relaxed); }
  void seed(std::uint64_t first) noexcept { seed_ = first << 20; }

 private:
  std::atomic<std::uint64_t> seed_{0};
  std::mutex mutex_;
  tally counts_;
};

// Both wheels, ticks, waits, with and without a reserve. Callbacks run on the worker, or in `pools` of 100 engines on a
// pool that may refuse; nothing is dropped.
detent::engine_options random_options(random_numbers& random, unsigned pools, std::size_t* pool_threads = nullptr);
// Chosen by the weights.
void set_up(scene& with, random_numbers& random);

// At once, or up to 4 us, 64 us, 1 ms, 16 ms from now.
detent::duration random_delay(random_numbers& random);

// By a destructor: some calls into the engine.
void call_back(scene& with);

// Lives as long as the callable does, and reports to the account when it is destroyed.
class witness {
 public:
  witness(account& of, life_number life) noexcept : of_(&of), life_(life) {}
  witness(witness&& other) noexcept : of_(std::exchange(other.of_, nullptr)), life_(other.life_) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (of_ != nullptr) of_->lose_capture(life_);
  }
  account* of() const noexcept { return of_; }
  life_number life() const noexcept { return life_; }

 private:
  account* of_;  // null once moved from
  life_number life_;
};

// The kinds of callable that the engine distinguishes: with nothing to destroy, with captures, too large for a node.
struct plain_callable {
  account* of;
  life_number life;
  void operator()(detent::firing& run) const {
    if (of->begin_run(life, run)) of->end_run();
  }
};

class owning_callable {
 public:
  owning_callable(scene& with, account& at, life_number life) noexcept : with_(&with), seen_(at, life) {}
  owning_callable(owning_callable&&) noexcept = default;
  owning_callable& operator=(owning_callable&&) = delete;
  ~owning_callable() {
    const account* at = seen_.of();
    if (at != nullptr && at->part().calls_back) call_back(*with_);
  }
  void operator()(detent::firing& run) const;

 private:
  scene* with_;
  witness seen_;
};

struct large_callable {
  owning_callable whole;
  std::array<char, 64> ballast{};
  void operator()(detent::firing& run) const { whole(run); }
};
static_assert(detent::fits_inline<owning_callable> && !detent::fits_inline<large_callable>);

}  // namespace stress
