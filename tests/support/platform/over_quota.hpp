// SPDX-License-Identifier: MIT
// The number of the error that a user has no space left, which Windows does not tell from a full disk.
#pragma once

#include <cerrno>

namespace detent::drive {

#ifdef EDQUOT
inline constexpr int over_quota = EDQUOT;
#else
inline constexpr int over_quota = ENOSPC;
#endif

}  // namespace detent::drive
