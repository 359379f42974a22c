// SPDX-License-Identifier: MIT
#include "heartbeat_check.hpp"

namespace load {

void heartbeat_check::look_at(const heartbeat& next, std::uint64_t session) {
  if (next.fired < next.slot || next.arrived < next.fired)
    found_.broken("session {}: a heartbeat came {} ns before its slot", session, (next.slot - next.fired).count());
  if (last_) {
    const auto step = next.slot - last_->slot;
    if (step != interval_ * (next.missed + 1))
      found_.broken("session {}: a heartbeat {} ns after the last one says that {} were skipped", session, step.count(),
                    next.missed);
    if (next.slot <= last_->fired)
      found_.broken("session {}: a burst: a slot that was over when the heartbeat before was sent", session);
  }
  last_ = next;
}

}  // namespace load
