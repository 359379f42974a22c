// SPDX-License-Identifier: MIT
#pragma once
#include "durable/durable_command.hpp"

namespace detent::durable {
class store;
}

namespace detent::tool {

// Throws usage_error where no such change could be meant.
void check_change(const durable_options& options);
// Cancels, moves, revives or purges the timer that has a key, or those that a query finds, with the user's consent.
// Those are counted first, and none that comes later is concerned. The options have been checked. Throws input_error.
durable_result change_timers(durable::store& in, const durable_options& options);

}  // namespace detent::tool
