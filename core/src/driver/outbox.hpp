// SPDX-License-Identifier: MIT
// The hand-over to executors: the timers that they are offered, and those that they have refused.
#pragma once

#include "callers/engine_core.hpp"
#include "driver/drive_state.hpp"
#include "driver/retry_queue.hpp"
#include "wheel/due_sort.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace detent::detail {

// Used by the driver alone. Each executor gets its timers in the order of deadlines; a full one does not hold up
// others.
class outbox {
 public:
  // Throws bad_alloc.
  outbox(engine_core& core, drive_state& drive);

  // Adds a timer that has been moved to `dispatched`, with its state word and its lateness so far. Timers that come due
  // together are handed over in one go: when the batch is full, or by flush().
  void add(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept;
  bool empty() const noexcept { return batch_.empty(); }
  // May run callbacks, if the executor runs them at once.
  void flush() noexcept;

  // Returns whether refused work waits to be offered again. Work that has been cancelled or restarted is dropped.
  // While no executor takes the first piece, such work behind it is dropped as soon as it may be half of all.
  bool has_retries() noexcept;
  bool may_have_retries() const noexcept;
  void retry() noexcept;
  std::size_t retries() const noexcept;
  // To be called when the drive has ended: the remaining work is stale, and each piece holds a reference to the core.
  void clear_retries() noexcept;

 private:
  std::uint8_t number_of(const fired_timer& work) const noexcept;
  std::span<fired_timer> first_of(std::uint8_t to, std::span<fired_timer> work) const noexcept;
  bool is_stale(const fired_timer& work) const noexcept;
  bool goes_back(const fired_timer& work) const noexcept;
  void drop_stale(retry_queue& among) noexcept;
  // Sends the first one back to the driver, for as long as it is of a group that takes its members back.
  void take_back(retry_queue& from) noexcept;
  void offer_all(bool inline_ones) noexcept;
  void offer(std::uint8_t to, std::span<fired_timer> work) noexcept;
  bool retry(std::uint8_t to) noexcept;
  void refused(std::uint8_t by, fired_timer&& work) noexcept;
  void keep_for_retry(std::uint8_t by, fired_timer&& work) noexcept;

  engine_core& core_;
  drive_state& drive_;
  std::vector<fired_timer> batch_;    // its capacity is the size of a full batch
  bool names_others_ = false;         // for the batch: some timers may be for another executor than the first
  std::vector<retry_queue> retries_;  // one for each executor
};

inline bool outbox::may_have_retries() const noexcept {
  for (const retry_queue& each : retries_) {
    if (!each.empty()) return true;
  }
  return false;
}

}  // namespace detent::detail
