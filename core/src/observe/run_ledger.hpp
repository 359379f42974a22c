// SPDX-License-Identifier: MIT
// Counts for each run how late it was, by which cause, and how long it took.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/base/counting.hpp>

#include "counters/counters_block.hpp"
#include "observe/lateness_split.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace detent::detail {

// How a timer came to its run: by what the driver's split knows of it, or with an executor by what it was late at the
// hand-over. Which of the two is the engine's, not the run's. It refers to its sources, which outlive it.
class arrival {
 public:
  arrival(const lateness_split& split, std::uint32_t taken_up) noexcept : known_by(&split), taken_up_(taken_up) {}
  explicit arrival(const lateness_parts& late) noexcept : parts(&late) {}

  const lateness_split& split() const noexcept { return *known_by; }
  std::uint32_t taken_up() const noexcept { return taken_up_; }
  const lateness_parts& until_hand_over() const noexcept { return *parts; }

 private:
  union {
    const lateness_split* known_by;
    const lateness_parts* parts;
  };
  std::uint32_t taken_up_ = 0;
};

// `label` is of the timer; null: none. Inlined into the run, because each timer passes here, except the part for labels
// and executors.
class run_ledger {
 public:
  run_ledger(counters_block& counts, bool runs_inline) noexcept
      : histograms_(counts.histograms()), runs_inline_(runs_inline) {}

  // A run has started, on any thread, `late` after its deadline. Before end() of the same run, so that a reader finds
  // no more callbacks than latenesses.
  DETENT_ALWAYS_INLINE void start(nanoseconds_t deadline, nanoseconds_t late, arrival came,
                                  label_block* label) noexcept {
    if (!runs_inline_) [[unlikely]]
      return start_handed_over(late, came.until_hand_over(), label);
    if (label != nullptr) [[unlikely]]
      return start_labelled(deadline, late, came, *label);
    of(cause::lateness).record_alone(late);
    count_parts(deadline, late, came);
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
  lateness_parts count_parts(nanoseconds_t deadline, nanoseconds_t late, arrival came) noexcept;
  void start_labelled(nanoseconds_t deadline, nanoseconds_t late, arrival came, label_block& label) noexcept;
  void start_handed_over(nanoseconds_t late, const lateness_parts& until, label_block* label) noexcept;
  void end_of(nanoseconds_t took, label_block* label) noexcept;

  histogram_recorder* const histograms_;
  const bool runs_inline_;
};

DETENT_ALWAYS_INLINE inline lateness_parts run_ledger::count_parts(nanoseconds_t deadline, nanoseconds_t late,
                                                                   arrival came) noexcept {
  if constexpr (!base::counts_causes) return {};
  lateness_parts parts;
  if (came.taken_up() == 0) [[likely]] {
    parts = came.split().split(deadline, late);
  } else {
    parts = came.split().split(deadline, late, came.taken_up());
    of(cause::drain).record_alone(parts.drain);
  }
  if (parts.wait != 0) of(cause::wait).record_alone(parts.wait);
  if (parts.worker != 0) of(cause::worker).record_alone(parts.worker);
  return parts;
}

DETENT_NOINLINE inline void run_ledger::start_labelled(nanoseconds_t deadline, nanoseconds_t late, arrival came,
                                                       label_block& label) noexcept {
  of(cause::lateness).record_alone(late);
  label[cause::lateness].record_alone(late);
  label.record_parts(count_parts(deadline, late, came));
}

// All of it at once, so that the parts are of the same runs as the whole. If its group was paused and resumed
// since the hand-over, the run is due later than it was: then the parts are cut, the last first.
DETENT_NOINLINE inline void run_ledger::start_handed_over(nanoseconds_t late, const lateness_parts& until,
                                                          label_block* label) noexcept {
  const nanoseconds_t drain = std::min(until.drain, late), wait = std::min(until.wait, late - drain);
  const nanoseconds_t worker = std::min(until.worker, late - drain - wait);
  const std::pair<cause, nanoseconds_t> parts[] = {{cause::drain, drain},
                                                   {cause::wait, wait},
                                                   {cause::worker, worker},
                                                   {cause::dispatch, late - drain - wait - worker}};
  of(cause::lateness).record(late, false);
  if (label != nullptr) (*label)[cause::lateness].record(late, false);
  if constexpr (!base::counts_causes) return;
  for (const auto& [which, part] : parts) {
    if (part == 0) continue;
    of(which).record(part, false);
    if (label != nullptr) (*label)[which].record(part, false);
  }
}

DETENT_NOINLINE inline void run_ledger::end_of(nanoseconds_t took, label_block* label) noexcept {
  of(cause::callback).record(took, runs_inline_);
  if (label != nullptr) (*label)[cause::callback].record(took, runs_inline_);
}

}  // namespace detent::detail
