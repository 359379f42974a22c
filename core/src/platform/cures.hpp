// SPDX-License-Identifier: MIT
// The system's limits that refusals come from, and how to raise them.
#pragma once

#include <string>

namespace detent::detail {

// Returns the system's words for `problem`, an errno, or the platform's own words if it lacks the feature.
std::string words_of(int problem);

// Returns a clause that names the cure for a refusal with `problem`, an errno. Empty if there is no cure to name.
std::string cure_of(int problem);

}  // namespace detent::detail
