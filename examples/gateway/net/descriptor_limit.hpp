// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace net {

// Raises this process's limit of open files (RLIMIT_NOFILE) as far as `sessions` connections need it. Throws, saying
// what the limit is and how to raise it, if that is not allowed.
void allow_descriptors_for(std::size_t sessions);

}  // namespace net
