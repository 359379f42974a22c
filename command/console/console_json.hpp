// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Returns the answer of /api/durable.json, one JSON object in a line. Keys, names and reasons are printable texts, in
// which \xNN stands for a byte that is not. Payloads are left out.
std::string json_of(const console_store& store);

}  // namespace detent::tool
