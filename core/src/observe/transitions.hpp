// SPDX-License-Identifier: MIT
// Observes a timer's way through the engine, one function a transition: the calling thread's counts, its label's, the
// recording and the probes, in the order in which their readers rely on each other.
#pragma once

#include "counters/label_store.hpp"
#include "observe/recording_port.hpp"
#include "platform/probe.hpp"
#include "threads/thread_record.hpp"

#include <memory>

namespace detent::detail {

// Any thread, with its own record. `label` is the timer's block; null: it has none. Inlined, as most of it is nothing
// for a timer without a label in an engine that records nothing.
class transitions {
 public:
  // `engine` is for the probes.
  explicit transitions(const void* engine) noexcept : engine_(engine) {}

  std::unique_ptr<recording_port> recording;  // null: nothing is recorded

  // Before the timer is published: once it is, it may end on another thread at any moment.
  void before_schedule(thread_record& by, std::uint64_t count = 1) const noexcept {
    by.counts.add(counter::scheduled, count);
  }
  // After it has been published.
  void scheduled(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    DETENT_PROBE(schedule, engine_, index, word, deadline);
  }
  // Takes back what before_schedule() counted, because the call is refused after all.
  void withdrawn(thread_record& by, label_block* label) const noexcept {
    by.counts.take_back(counter::scheduled);
    if (label != nullptr) label->take_back(label_counter::scheduled);
  }
  // A schedule call makes no timer.
  void refused(errc reason) const noexcept {
    DETENT_PROBE(refuse, engine_, std::uint32_t{0}, std::uint64_t{0}, static_cast<std::uint32_t>(reason));
  }

  // Timers for which there was no place.
  void over_capacity(thread_record& by, std::uint64_t count) const noexcept {
    by.counts.add(counter::over_capacity, count);
  }

  // An executor does not take it.
  void refused(thread_record& by, node_index index, std::uint64_t word) const noexcept {
    by.counts.add(counter::refused);
    DETENT_PROBE(refuse, engine_, index, word, std::uint32_t{0});
  }

  // For where there is only the generation.
  static constexpr std::uint64_t life(std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << state_word::generation_shift;
  }
  // A timer that this thread has cancelled. `life` has its generation, for the probe (probe.hpp).
  void cancelled(thread_record& by, node_index index, std::uint64_t life) const noexcept {
    DETENT_PROBE(cancel, engine_, index, life);
    by.counts.add(counter::cancelled);
  }
  void record_cancel(node_index index, std::uint32_t generation) const noexcept {
    if (recording != nullptr) [[unlikely]]
      recording->cancelled(index, generation);
  }
  void restarted(thread_record& by, node_index index, std::uint64_t life, nanoseconds_t time) const noexcept {
    DETENT_PROBE(restart, engine_, index, life, time);
    by.counts.add(counter::restarted);
  }

  // A group was paused or resumed, or has ended.
  void record_turn(operation_kind how, const void* group) const noexcept {
    if (recording != nullptr) recording->turned(how, group);
  }

  // For a timer that is no longer pending, and for one that its run makes pending again.
  void over(label_block* label) const noexcept { count(label, label_counter::over); }
  void begun(label_block* label) const noexcept { count(label, label_counter::begun); }
  void revived(thread_record& by) const noexcept { by.counts.add(counter::revived); }
  // The last run of a timer: from now on it is not pending.
  void started_last(thread_record& by) const noexcept { by.counts.add(counter::started_last); }

  // A run that stands for `periods` more than its own.
  void missed(thread_record& by, std::uint64_t periods, label_block* label) const noexcept {
    by.counts.add(counter::missed, periods);
    if (label != nullptr) label->add(label_counter::missed, periods);
  }
  // It is `late` by more than its max_lateness, and `dropped` for that, or runs all the same.
  void stale(node_index index, std::uint64_t word, nanoseconds_t due, nanoseconds_t late, bool dropped) const noexcept {
    DETENT_PROBE(late, engine_, index, word, due, late, std::uint32_t{dropped});
  }
  void record_drop(node_index index, std::uint64_t word, nanoseconds_t at) const noexcept {
    if (recording != nullptr) recording->ended(operation_kind::drop, index, state_word::generation(word), at);
  }
  // The timer's callback is about to run, and has run.
  void fires(thread_record& by, node_index index, std::uint64_t word, nanoseconds_t due, nanoseconds_t late,
             label_block* label, std::uint32_t label_number) const noexcept {
    DETENT_PROBE(fire, engine_, index, word, due, late, label_number);
    by.counts.add(counter::fired);
    count(label, label_counter::fired);
  }
  void record_run(node_index index, std::uint64_t word, nanoseconds_t started) const noexcept {
    if (recording != nullptr) [[unlikely]]
      recording->ended(operation_kind::fire, index, state_word::generation(word), started);
  }
  void failed(thread_record& by, label_block* label) const noexcept {
    by.counts.add(counter::failed);
    count(label, label_counter::failed);
  }
  void ran(node_index index, std::uint64_t word) const noexcept { DETENT_PROBE(done, engine_, index, word); }
  // How a timer has ended.
  void ended(thread_record& by, counter how, label_block* label) const noexcept {
    by.counts.add(how);
    if (label != nullptr) label->add(of_label(how));
  }

 private:
  static void count(label_block* label, label_counter which) noexcept {
    if (label != nullptr) label->add(which);
  }
  static label_counter of_label(counter how) noexcept {
    switch (how) {
      case counter::expired: return label_counter::expired;
      case counter::returned: return label_counter::returned;
      case counter::dropped: return label_counter::dropped;
      default: return label_counter::cancelled;
    }
  }

  const void* const engine_;
};

}  // namespace detent::detail
