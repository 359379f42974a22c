// SPDX-License-Identifier: MIT
#pragma once

#include "observe/lateness_split.hpp"
#include "threads/thread_record.hpp"
#include "timer/placement.hpp"

#include <algorithm>

namespace detent::detail {

// The state that the parts of the driver share: which thread drives, and the pass that fires. Used by the driver alone.
struct drive_state {
  thread_record* record = nullptr;  // of the thread that drives now
  // The reading up to which the running pass fires. The bulk has one a pass, because otherwise some of the timers that
  // are due between two readings would fire, and some would not. The critical timers have their own, which goes on in
  // the middle of a pass.
  nanoseconds_t pass_now = INT64_MIN, higher_now = INT64_MIN;
  placement pass = placement::first_pass();
  placement newest_entry;     // of all agendas, because a node may be on another one in its next life
  bool polling = false;       // poll(): what is armed for this instant fires in the same pass
  bool keeps_order = false;   // poll(): all that the driving thread has submitted before was drained
  bool owes_entries = false;  // what critical callbacks have armed, and may not be drained yet
  bool ended = false;         // a callback on the driver's thread destroyed the engine
  std::size_t ran = 0;        // callbacks that were handed over, and ran on the driving thread all the same
  lateness_split split;

  // The time up to which a timer of the bulk, or a critical one, is due in the pass that runs.
  nanoseconds_t reached(bool of_bulk) const noexcept { return of_bulk ? pass_now : std::max(pass_now, higher_now); }
};

}  // namespace detent::detail
