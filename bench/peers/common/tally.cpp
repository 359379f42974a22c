// SPDX-License-Identifier: MIT
#include "tally.hpp"

#include "process_readings.hpp"

namespace peers {

void count_run(const argument& self) {
  if (++self.to->ran == self.to->wanted) self.to->done.count_down();
}

void record_lateness(const argument& self) {
  self.to->lateness_ns.push_back(steady_ns() - self.deadline_ns);
  count_run(self);
}

}  // namespace peers
