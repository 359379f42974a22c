// SPDX-License-Identifier: MIT
// Which limit of the system a refusal comes from, and how it is raised.
#pragma once

#include <string>

namespace detent::detail {

// A clause for a refusal with `problem`, an errno; empty where there is no cure to name.
std::string cure_of(int problem);

}  // namespace detent::detail
