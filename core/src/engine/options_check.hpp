// SPDX-License-Identifier: MIT
#pragma once

#include <detent/options.hpp>

#include <string>

namespace detent::detail {

// Settles what one option implies for another; then the first impossible one, as "name = value: why". Empty: all fine.
std::string settle_options(engine_options& options);

}  // namespace detent::detail
