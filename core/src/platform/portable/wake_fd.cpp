// SPDX-License-Identifier: MIT
// There are no descriptors: open() refuses.
#include "platform/wake_fd.hpp"

#include <cerrno>

namespace detent::detail {

int wake_fd::open() noexcept {
  errno = ENOSYS;
  return -1;
}
int wake_fd::release() noexcept { return -1; }
void wake_fd::close(int) noexcept {}
void wake_fd::set(std::optional<nanoseconds_t>) noexcept {}
void wake_fd::signal() noexcept {}
void wake_fd::disown() noexcept {}

}  // namespace detent::detail
