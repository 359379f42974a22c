// SPDX-License-Identifier: MIT
#include "measurements.hpp"

namespace load {

void measurements::heartbeat(wire::time_point due, wire::time_point fired, wire::time_point arrived) {
  if (!on_) return;
  if (is_of_a_freeze(due)) return frozen.add(fired - due);
  heartbeat_fired.add(fired - due);
  heartbeat_arrived.add(arrived - due);
}

void measurements::expiry(wire::time_point due, wire::time_point fired) {
  if (!on_) return;
  (is_of_a_freeze(due) ? frozen : expiry_fired).add(fired - due);
}

void measurements::expiry_news(wire::time_point due, wire::time_point arrived) {
  if (on_ && !is_of_a_freeze(due)) expiry_arrived.add(arrived - due);
}

}  // namespace load
