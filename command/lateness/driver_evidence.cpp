// SPDX-License-Identifier: MIT
#include "lateness/driver_evidence.hpp"

#include <algorithm>

namespace detent::tool {

driver_evidence since(const driver_evidence& later, const driver_evidence& earlier) {
  const auto grown = [](auto now, auto before) { return std::max(now, before) - before; };
  driver_evidence out = later;
  out.visible = later.visible && earlier.visible;
  out.throttles = grown(later.throttles, earlier.throttles);
  for (std::int64_t driver_evidence::*const each :
       {&driver_evidence::ran, &driver_evidence::waited, &driver_evidence::slices, &driver_evidence::stolen,
        &driver_evidence::throttled, &driver_evidence::stopped, &driver_evidence::quiet, &driver_evidence::halted,
        &driver_evidence::other_ran, &driver_evidence::other_waited})
    out.*each = grown(later.*each, earlier.*each);
  return out;
}

}  // namespace detent::tool
