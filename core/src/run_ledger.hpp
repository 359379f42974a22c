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

// `label` is of the timer; null: none. Inlined into the run, as each timer passes here, but for labels and executors.
class run_ledger {
 public:
  run_ledger(counters_block& counts, bool runs_inline) noexcept
      : histograms_(counts.histograms()), runs_inline_(runs_inline) {}

  // The driver's.
  lateness_split split;
  // The driver hands it to the executor at `now`.
  void hand_over(const due_entry& due, nanoseconds_t now, label_block* label) noexcept {
    count_parts(due.deadline, lateness(due.deadline, now), due.taken_up, label);
  }

  // Whoever runs it. `came`: due_entry::taken_up, or if there is an executor a reading of the hand-over.
  [[gnu::always_inline]] void start(nanoseconds_t deadline, nanoseconds_t started, std::int64_t came,
                                    label_block* label) noexcept {
    const nanoseconds_t late = lateness(deadline, started);
    if (!runs_inline_ || label != nullptr || came != 0) [[unlikely]]
      return start_of(deadline, late, started - came, came, label);
    of(cause::lateness).record_alone(late);
    if constexpr (base::counts_causes) count(split.split(deadline, late));
  }
  void end(nanoseconds_t took, label_block* label) noexcept {
    if constexpr (!base::counts_causes) return;
    if (!runs_inline_ || label != nullptr) [[unlikely]]
      return end_of(took, label);
    of(cause::callback).record_alone(std::max<nanoseconds_t>(took, 0));
  }

 private:
  static nanoseconds_t lateness(nanoseconds_t deadline, nanoseconds_t now) noexcept {
    return std::max<nanoseconds_t>(subtract_saturated(now, deadline), 0);
  }
  histogram_recorder& of(cause which) const noexcept { return histograms_[static_cast<std::size_t>(which)]; }
  void count(lateness_parts parts) noexcept {
    if (parts.drain != 0) of(cause::drain).record_alone(parts.drain);
    if (parts.wait != 0) of(cause::wait).record_alone(parts.wait);
    if (parts.worker != 0) of(cause::worker).record_alone(parts.worker);
  }
  void count_parts(nanoseconds_t deadline, nanoseconds_t late, std::uint32_t taken_up, label_block* label) noexcept;
  void start_of(nanoseconds_t deadline, nanoseconds_t late, nanoseconds_t waited, std::int64_t came,
                label_block* label) noexcept;
  void end_of(nanoseconds_t took, label_block* label) noexcept;

  histogram_recorder* const histograms_;
  const bool runs_inline_;
};

inline void run_ledger::count_parts(nanoseconds_t deadline, nanoseconds_t late, std::uint32_t taken_up,
                                    label_block* label) noexcept {
  if constexpr (!base::counts_causes) return;
  const lateness_parts parts = split.split(deadline, late, taken_up);
  count(parts);
  if (label != nullptr) label->record_parts(parts);
}

[[gnu::noinline]] inline void run_ledger::start_of(nanoseconds_t deadline, nanoseconds_t late, nanoseconds_t waited,
                                                   std::int64_t came, label_block* label) noexcept {
  of(cause::lateness).record(late, runs_inline_);
  if (label != nullptr) {
    label->add(label_counter::fired);
    (*label)[cause::lateness].record(late, runs_inline_);
  }
  if (runs_inline_) return count_parts(deadline, late, static_cast<std::uint32_t>(came), label);
  // No more than it was late: a periodic run may stand for a later period than was handed over.
  waited = std::min(waited, late);
  if (waited <= 0) return;
  of(cause::dispatch).record(waited, false);
  if (label != nullptr) (*label)[cause::dispatch].record(waited, false);
}

[[gnu::noinline]] inline void run_ledger::end_of(nanoseconds_t took, label_block* label) noexcept {
  of(cause::callback).record(took, runs_inline_);
  if (label != nullptr) (*label)[cause::callback].record(took, runs_inline_);
}

}  // namespace detent::detail
