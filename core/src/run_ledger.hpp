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
    const nanoseconds_t late = std::max<nanoseconds_t>(subtract_saturated(now, due.deadline), 0);
    const lateness_parts parts = count_parts(due.deadline, late, due.taken_up);
    if (label != nullptr) label->record_parts(parts);
  }

  // Whoever runs it, `late` behind its deadline. `came`: due_entry::taken_up, or if there is an executor a reading of
  // the hand-over.
  [[gnu::always_inline]] void start(nanoseconds_t deadline, nanoseconds_t started, nanoseconds_t late,
                                    std::int64_t came, label_block* label) noexcept {
    if (!runs_inline_ || label != nullptr) [[unlikely]]
      return start_of(deadline, started, late, came, label);
    of(cause::lateness).record_alone(late);
    count_parts(deadline, late, static_cast<std::uint32_t>(came));
  }
  void end(nanoseconds_t started, nanoseconds_t now, label_block* label) noexcept {
    if constexpr (!base::counts_causes) return;
    // Below zero only where a manual clock was moved by more than the signed range.
    const auto took = static_cast<nanoseconds_t>(static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(started));
    if (!runs_inline_ || label != nullptr || took < 0) [[unlikely]]
      return end_of(subtract_saturated(now, started), label);
    of(cause::callback).record_alone(took);
  }

 private:
  histogram_recorder& of(cause which) const noexcept { return histograms_[static_cast<std::size_t>(which)]; }
  lateness_parts count_parts(nanoseconds_t deadline, nanoseconds_t late, std::uint32_t taken_up) noexcept;
  // With a label, or an executor.
  void start_of(nanoseconds_t deadline, nanoseconds_t started, nanoseconds_t late, std::int64_t came,
                label_block* label) noexcept;
  void end_of(nanoseconds_t took, label_block* label) noexcept;

  histogram_recorder* const histograms_;
  const bool runs_inline_;
};

[[gnu::always_inline]] inline lateness_parts run_ledger::count_parts(nanoseconds_t deadline, nanoseconds_t late,
                                                                     std::uint32_t taken_up) noexcept {
  if constexpr (!base::counts_causes) return {};
  lateness_parts parts;
  if (taken_up == 0) [[likely]] {
    parts = split.split(deadline, late);
  } else {
    parts = split.split(deadline, late, taken_up);
    of(cause::drain).record_alone(parts.drain);
  }
  if (parts.wait != 0) of(cause::wait).record_alone(parts.wait);
  if (parts.worker != 0) of(cause::worker).record_alone(parts.worker);
  return parts;
}

[[gnu::noinline]] inline void run_ledger::start_of(nanoseconds_t deadline, nanoseconds_t started, nanoseconds_t late,
                                                   std::int64_t came, label_block* label) noexcept {
  of(cause::lateness).record(late, runs_inline_);
  if (label != nullptr) {
    label->add(label_counter::fired);
    (*label)[cause::lateness].record(late, runs_inline_);
  }
  if (runs_inline_) return label->record_parts(count_parts(deadline, late, static_cast<std::uint32_t>(came)));
  // No more than it was late: a periodic run may stand for a later period than was handed over.
  const nanoseconds_t waited = std::min(subtract_saturated(started, came), late);
  if (waited <= 0) return;
  of(cause::dispatch).record(waited, false);
  if (label != nullptr) (*label)[cause::dispatch].record(waited, false);
}

[[gnu::noinline]] inline void run_ledger::end_of(nanoseconds_t took, label_block* label) noexcept {
  of(cause::callback).record(took, runs_inline_);
  if (label != nullptr) (*label)[cause::callback].record(took, runs_inline_);
}

}  // namespace detent::detail
