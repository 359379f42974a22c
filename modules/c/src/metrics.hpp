// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.h>
#include <detent/metrics.hpp>

namespace detent::c {

// The engine's figures as a C program reads them.
inline detent_metrics translate(const engine_metrics& seen) {
  const histogram& late = seen.lateness;
  return {.scheduled = seen.scheduled,
          .expired = seen.expired,
          .cancelled = seen.cancelled,
          .returned = seen.returned,
          .dropped = seen.dropped,
          .pending = seen.pending,
          .fired = seen.fired,
          .restarted = seen.restarted,
          .refused = seen.refused,
          .failed = seen.failed,
          .boxed = seen.boxed,
          .wakeups = seen.wakeups,
          .drains = seen.drains,
          .drained = seen.drained,
          .rings = seen.rings,
          .backlog = seen.backlog,
          .retired = seen.retired,
          .lateness_count = late.count(),
          .lateness_mean = late.mean().count(),
          .lateness_p50 = late.percentile(50).count(),
          .lateness_p90 = late.percentile(90).count(),
          .lateness_p99 = late.percentile(99).count(),
          .lateness_p999 = late.percentile(99.9).count(),
          .lateness_max = (late.max)().count(),
          .missed = seen.missed,
          .over_capacity = seen.over_capacity,
          .reserved = {}};
}

}  // namespace detent::c
