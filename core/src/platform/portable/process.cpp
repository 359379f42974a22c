// SPDX-License-Identifier: MIT
#include "platform/process.hpp"

namespace detent::detail {

std::int32_t process_number() noexcept { return 0; }

bool watch_forks(void (*)(), void (*)(), void (*)()) noexcept { return true; }

}  // namespace detent::detail
