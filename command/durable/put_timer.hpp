// SPDX-License-Identifier: MIT
#pragma once
#include "durable/durable_command.hpp"

namespace detent::durable {
class store;
}

namespace detent::tool {

// Throws usage_error if no such timer could be put.
void check_put(const durable_options& options);
// Puts one timer, with the user's consent. The options must have been checked. Throws input_error.
durable_result put_timer(durable::store& in, const durable_options& options);

}  // namespace detent::tool
