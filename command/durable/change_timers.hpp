// SPDX-License-Identifier: MIT
#pragma once
#include "durable/durable_command.hpp"

namespace detent::durable {
class store;
}

namespace detent::tool {

// Throws usage_error if the options contradict each other.
void check_change(const durable_options& options);
// Cancels, moves, revives or purges, with the user's consent, the timer that has a key or those that a query finds.
// These are counted first, and timers that are put later are not changed. The options must have been checked. Throws
// input_error.
durable_result change_timers(durable::store& in, const durable_options& options);

}  // namespace detent::tool
