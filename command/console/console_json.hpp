// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// One JSON object in a line: what /api/durable.json says. Keys, names and reasons are printable texts, bytes that are
// none as \xNN; payloads are not in it.
std::string json_of(const console_store& store);

}  // namespace detent::tool
