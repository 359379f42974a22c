// SPDX-License-Identifier: MIT
#include "stamp.hpp"

#include <x86intrin.h>

namespace peers {

std::uint64_t stamp() { return __rdtsc(); }

}  // namespace peers
