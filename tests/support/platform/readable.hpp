// SPDX-License-Identifier: MIT
#pragma once

#if defined(__linux__)
#include <poll.h>
#endif

namespace detent::test {

// Returns whether a descriptor is readable at this moment. A system without descriptors has no wake_fd() either.
#if defined(__linux__)
inline bool is_readable(int fd) {
  pollfd asked{fd, POLLIN, 0};
  return ::poll(&asked, 1, 0) == 1;
}
#else
inline bool is_readable(int) { return true; }
#endif

}  // namespace detent::test
