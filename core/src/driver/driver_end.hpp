// SPDX-License-Identifier: MIT
// The driver's end of an engine's inbox. Callers have the inbox itself (callers/inbox.hpp), which is the producers'
// end, and do not know this type.
#pragma once

#include "callers/inbox.hpp"

namespace detent::detail {

// Used by the driver alone. Some functions of each part are for the driver; the part's header names them.
class driver_end {
 public:
  explicit driver_end(inbox& of) noexcept : of_(of) {}

  submission_queue& queue() const noexcept { return of_.queue_; }        // of the bulk
  submission_queue& critical() const noexcept { return of_.critical_; }  // of critical timers
  doorbell& bell() const noexcept { return of_.bell_; }
  wake_fd& fd() const noexcept { return of_.fd_; }
  backlog& unread() const noexcept { return of_.unread_; }
  rescan_request& rescan() const noexcept { return of_.rescan_; }

 private:
  inbox& of_;
};

}  // namespace detent::detail
