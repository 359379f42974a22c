// SPDX-License-Identifier: MIT
#pragma once
#include "durable/durable_command.hpp"

namespace detent::durable {
class store;
}

namespace detent::tool {

// Puts one timer, with the user's consent. Throws input_error and usage_error.
durable_result put_timer(durable::store& in, const durable_options& options);

}  // namespace detent::tool
