// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// The console's store in Prometheus' text exposition format, as /metrics shows it.
std::string prometheus_text(const console_store& store);

}  // namespace detent::tool
