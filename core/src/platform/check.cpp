// SPDX-License-Identifier: MIT
#include "platform/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace detent::base {

void check_failed(const char* expectation, const char* file, int line) noexcept {
  std::fprintf(stderr, "detent: %s:%d: expected %s\n", file, line, expectation);
  std::abort();
}

}  // namespace detent::base
