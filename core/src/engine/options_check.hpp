// SPDX-License-Identifier: MIT
#pragma once

#include <detent/options.hpp>

#include <string>

namespace detent::detail {

// Settles what one option implies for another. Then returns the first impossible option as "name = value: why"; empty
// if all are possible.
std::string settle_options(engine_options& options);

}  // namespace detent::detail
