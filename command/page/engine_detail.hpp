// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// One engine at length: its curves, its lateness by cause, its labels, what should be none.
std::string engine_detail(const console_engine& engine, const console_view& view);

}  // namespace detent::tool
