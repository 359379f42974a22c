// SPDX-License-Identifier: MIT
#pragma once
#include "durable/durable_command.hpp"

namespace detent::durable {
class store;
}

namespace detent::tool {

// Cancels, moves, revives or purges the timer that has a key, or those that a query finds, with the user's consent.
// Those are counted first, and none that comes later is concerned. Throws input_error and usage_error.
durable_result change_timers(durable::store& in, const durable_options& options);

}  // namespace detent::tool
