// SPDX-License-Identifier: MIT
// The system's limits that refusals come from, and how to raise them.
#pragma once

#include <string>

namespace detent::detail {

// The system's words for `problem`, an errno; or the ground's own, where it lacks what was asked for.
std::string words_of(int problem);

// A clause for a refusal with `problem`, an errno; empty where there is no cure to name.
std::string cure_of(int problem);

}  // namespace detent::detail
