// SPDX-License-Identifier: MIT
#include "observe/recording_port.hpp"

namespace detent::detail {

void* recorded_attempt::begin(recording_port& to, const operation& what) noexcept { return to.begin_attempt(what); }
void recorded_attempt::end(recording_port& to, void* begun, bool effective) noexcept {
  to.end_attempt(begun, effective);
}

}  // namespace detent::detail
