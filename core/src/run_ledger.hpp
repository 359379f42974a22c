// SPDX-License-Identifier: MIT
// What is counted of each run: how late it was, by which cause, and how long it took.
#pragma once

#include <detent/base/counting.hpp>

#include "counters_block.hpp"
#include "due_sort.hpp"
#include "lateness_split.hpp"

#include <algorithm>
#include <cstdint>

namespace detent::detail {

// `label` is of the timer; null: none. Inlined into the run, as each timer passes here.
class run_ledger {
 public:
  run_ledger(counters_block& counts, bool runs_inline) noexcept : counts_(counts), runs_inline_(runs_inline) {}

  // The driver's.
  lateness_split split;
  // The driver hands it to the executor at `now`.
  void hand_over(const due_entry& due, nanoseconds_t now, label_block* label) noexcept {
    count_parts(due.deadline, lateness(due.deadline, now), due.taken_up, label);
  }

  // Whoever runs it. `came`: due_entry::taken_up, or if there is an executor a reading of the hand-over.
  void start(nanoseconds_t deadline, nanoseconds_t started, std::int64_t came, label_block* label) noexcept;
  void end(nanoseconds_t took, label_block* label) noexcept {
    if constexpr (!base::counts_causes) return;
    counts_[cause::callback].record(took, runs_inline_);
    if (label != nullptr) [[unlikely]]
      (*label)[cause::callback].record(took, runs_inline_);
  }

 private:
  static nanoseconds_t lateness(nanoseconds_t deadline, nanoseconds_t now) noexcept {
    return std::max<nanoseconds_t>(subtract_saturated(now, deadline), 0);
  }
  void count_parts(nanoseconds_t deadline, nanoseconds_t late, std::uint32_t taken_up, label_block* label) noexcept;

  counters_block& counts_;
  const bool runs_inline_;
};

[[gnu::always_inline]] inline void run_ledger::count_parts(nanoseconds_t deadline, nanoseconds_t late,
                                                           std::uint32_t taken_up, label_block* label) noexcept {
  if constexpr (!base::counts_causes) return;
  const lateness_parts parts = split.split(deadline, late, taken_up);
  if (parts.drain != 0) [[unlikely]]
    counts_[cause::drain].record_alone(parts.drain);
  if (parts.wait != 0) counts_[cause::wait].record_alone(parts.wait);
  if (parts.worker != 0) counts_[cause::worker].record_alone(parts.worker);
  if (label != nullptr) [[unlikely]]
    label->record_parts(parts);
}

[[gnu::always_inline]] inline void run_ledger::start(nanoseconds_t deadline, nanoseconds_t started, std::int64_t came,
                                                     label_block* label) noexcept {
  const nanoseconds_t late = lateness(deadline, started);
  counts_[cause::lateness].record(late, runs_inline_);
  if (label != nullptr) [[unlikely]] {
    label->add(label_counter::fired);
    (*label)[cause::lateness].record(late, runs_inline_);
  }
  if (runs_inline_) [[likely]]
    return count_parts(deadline, late, static_cast<std::uint32_t>(came), label);
  // No more than it was late: a periodic run may stand for a later period than was handed over.
  const nanoseconds_t waited = std::min(started - came, late);
  if (waited <= 0) return;
  counts_[cause::dispatch].record(waited, false);
  if (label != nullptr) (*label)[cause::dispatch].record(waited, false);
}

}  // namespace detent::detail
