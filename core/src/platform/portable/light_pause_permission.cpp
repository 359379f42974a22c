// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

namespace detent::detail {

// Which of the others the system permits is not known.
bool is_permitted(pause_kind kind) noexcept { return kind == pause_kind::plain; }

}  // namespace detent::detail
