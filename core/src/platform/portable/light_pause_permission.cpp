// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

namespace detent::detail {

// It is not known which of the others the system permits.
bool is_permitted(pause_kind kind) noexcept { return kind == pause_kind::plain; }

}  // namespace detent::detail
