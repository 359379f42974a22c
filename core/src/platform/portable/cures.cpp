// SPDX-License-Identifier: MIT
#include "platform/cures.hpp"

#include <cerrno>
#include <cstring>

namespace detent::detail {

std::string words_of(int problem) {
  if (problem == ENOSYS) return "not on the portable ground; docs/portability.md says which options it has";
  return std::strerror(problem);
}

std::string cure_of(int problem) {
  return problem == EAGAIN ? "the system has no more threads, or no memory for a thread's stack" : "";
}

}  // namespace detent::detail
