// SPDX-License-Identifier: MIT
#include "timer/run_scope.hpp"

namespace detent::detail {

constinit thread_local run_scope* run_scope::innermost = nullptr;

}  // namespace detent::detail
