// SPDX-License-Identifier: MIT
// The hand-over to an executor: what it is offered, and what it has refused.
#pragma once

#include "callers/engine_core.hpp"
#include "driver/drive_state.hpp"
#include "driver/retry_queue.hpp"
#include "wheel/due_sort.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace detent::detail {

// The driver's own. Each executor gets what is its own in the order of deadlines; one that is full holds up no other's.
class outbox {
 public:
  // Throws bad_alloc.
  outbox(engine_core& core, drive_state& drive);

  // One that has been moved to `dispatched`, `word` being its state word and `late` its lateness so far. Timers that
  // come due together are handed over in one go: when the batch is full, or by flush().
  void add(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept;
  bool empty() const noexcept { return batch_.empty(); }
  // May run callbacks, if the executor does so at once.
  void flush() noexcept;

  // Whether refused work waits to be offered again, apart from what has been cancelled or restarted. That is
  // dropped, also from after a first one that no executor takes, when it may be half of all.
  bool has_retries() noexcept;
  bool may_have_retries() const noexcept;
  void retry() noexcept;
  std::size_t retries() const noexcept;
  // The drive has ended: what is left is stale, and each holds a reference to the core.
  void clear_retries() noexcept;

 private:
  std::uint8_t number_of(const fired_timer& work) const noexcept;
  std::span<fired_timer> first_of(std::uint8_t to, std::span<fired_timer> work) const noexcept;
  bool is_stale(const fired_timer& work) const noexcept;
  bool goes_back(const fired_timer& work) const noexcept;
  void drop_stale(retry_queue& among) noexcept;
  // Sends the first back to the driver for as long as it is of a group that takes its members back.
  void take_back(retry_queue& from) noexcept;
  void offer_all(bool inline_ones) noexcept;
  void offer(std::uint8_t to, std::span<fired_timer> work) noexcept;
  bool retry(std::uint8_t to) noexcept;
  void refused(std::uint8_t by, fired_timer&& work) noexcept;
  void keep_for_retry(std::uint8_t by, fired_timer&& work) noexcept;

  engine_core& core_;
  drive_state& drive_;
  std::vector<fired_timer> batch_;    // its capacity is the size of a full one
  bool names_others_ = false;         // of the batch: some timers may be for another executor than the first
  std::vector<retry_queue> retries_;  // one for each executor
};

inline bool outbox::may_have_retries() const noexcept {
  for (const retry_queue& each : retries_) {
    if (!each.empty()) return true;
  }
  return false;
}

}  // namespace detent::detail
