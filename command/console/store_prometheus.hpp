// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// What /metrics says of the store of the console, in Prometheus' text exposition format.
std::string prometheus_text(const console_store& store);

}  // namespace detent::tool
