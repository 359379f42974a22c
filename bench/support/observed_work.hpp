// SPDX-License-Identifier: MIT
// The work that is done by the engine as it is and by the one that counts no causes.
#pragma once

#include <cstddef>
#include <memory>

namespace observed {

// CPU time of the calling thread for each timer, in nanoseconds.
struct cost {
  double life = 0;  // from its schedule call to its end
  double pass = 0;  // the part of it in the poll() that fires the timer
};

class work {
 public:
  virtual ~work() = default;
  virtual cost pairs(std::size_t count) = 0;
  virtual cost firings(std::size_t count) = 0;
};

}  // namespace observed

namespace detent {
std::unique_ptr<observed::work> make_observed_work();
}
