// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

#include <sys/prctl.h>

namespace detent::detail {

// TPAUSE reads the time-stamp counter, which prctl(2) can forbid.
bool is_permitted(pause_kind kind) noexcept {
  if (kind != pause_kind::tpause) return true;
  int counter = PR_TSC_ENABLE;
  return ::prctl(PR_GET_TSC, &counter, 0UL, 0UL, 0UL) != 0 || counter != PR_TSC_SIGSEGV;
}

}  // namespace detent::detail
