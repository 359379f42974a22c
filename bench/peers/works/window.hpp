// SPDX-License-Identifier: MIT
// One producer's part of the work `pair`: a fixed number of live timers, the oldest cancelled for each new one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../common/delays.hpp"
#include "../common/process_readings.hpp"
#include "backend.hpp"

namespace peers {

template <backend Backend, bool by_deadline>
class window {
 public:
  // Schedules all but one of `live` timers.
  window(Backend& system, std::uint64_t live, std::uint64_t stream, tally& fired)
      : slots_(system.slots(live)),
        producer_(std::in_place, system),
        delays_(std::chrono::seconds(live < slow_to_fill ? 1 : 11), std::chrono::seconds(4), stream),
        work_{.run = count_run, .to = &fired},
        deadline_ns_(steady_ns() + (live < slow_to_fill ? 2 : 12) * 1'000'000'000) {
    while (newest_ + 1 < slots_.size()) schedule(newest_++);
    producer_->flush();
  }

  // Ends this thread's access. The slots stay, because their timers may still be pending.
  void leave() { producer_.reset(); }

  // Schedules a timer and cancels the oldest, over and over. Returns how often.
  std::uint64_t run_until(std::int64_t end_ns) {
    // Rare enough that reading the clock does not matter, and often enough that a slow system stops in time.
    constexpr std::uint64_t between_looks = 256;
    std::uint64_t pairs = 0;
    do {
      for (std::uint64_t i = 0; i < between_looks; ++i) step();
      pairs += between_looks;
    } while (steady_ns() < end_ns);
    producer_->flush();
    return pairs;
  }

 private:
  // From here on, some systems need seconds to fill the window. Nothing in it must fire in that time, so delays are ten
  // seconds longer.
  static constexpr std::uint64_t slow_to_fill = 500'000;

  void schedule(std::size_t slot) {
    if constexpr (by_deadline) {
      producer_->schedule_at(slots_[slot], deadline_ns_ += 10, work_);
    } else {
      producer_->schedule_after(slots_[slot], delays_.next(), work_);
    }
  }

  void step() {
    schedule(newest_);
    if (++newest_ == slots_.size()) newest_ = 0;
    producer_->cancel(slots_[newest_]);
  }

  std::vector<typename Backend::slot> slots_;
  std::optional<typename Backend::producer> producer_;
  delays delays_;
  argument work_;
  std::int64_t deadline_ns_;
  std::size_t newest_ = 0;
};

}  // namespace peers
