// SPDX-License-Identifier: MIT
#include "platform/cures.hpp"

#include <cerrno>

namespace detent::detail {

std::string cure_of(int problem) {
  switch (problem) {
    case EAGAIN: return "the system has no more threads, or no memory for a thread's stack";
    case ENOSYS: return "this build stands on the portable ground, which has no such thing; docs/portability.md";
    default: return {};
  }
}

}  // namespace detent::detail
