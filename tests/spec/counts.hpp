// SPDX-License-Identifier: MIT
// The counts that engine_metrics has to report. "At rest: scheduled = expired + cancelled + returned + dropped +
// pending."
#pragma once

#include "spec/timer.hpp"

#include <cstdint>

namespace detent::spec {

struct counts {
  std::uint64_t scheduled = 0, expired = 0, cancelled = 0, returned = 0, dropped = 0, pending = 0;
  std::uint64_t fired = 0, restarted = 0, refused = 0, failed = 0, missed = 0;

  void ended(ending how) {
    switch (how) {
      case ending::expired: ++expired; return;
      case ending::cancelled: ++cancelled; return;
      case ending::returned: ++returned; return;
      case ending::dropped: ++dropped; return;
      case ending::none:
      case ending::refused: return;  // it "is in no count of timers" (G28)
    }
  }
  // For the sum of several engines.
  counts& operator+=(const counts& other) {
    scheduled += other.scheduled, expired += other.expired, cancelled += other.cancelled, returned += other.returned;
    dropped += other.dropped, pending += other.pending, fired += other.fired, restarted += other.restarted;
    refused += other.refused, failed += other.failed, missed += other.missed;
    return *this;
  }
  bool operator==(const counts&) const = default;
};

}  // namespace detent::spec
