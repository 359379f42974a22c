// SPDX-License-Identifier: MIT
// `detent stat --listen`: what `detent stat --prometheus` prints, over HTTP.
#pragma once
#include <string>
#include <vector>

#include "http/http_server.hpp"

namespace detent::tool {

// Serves /metrics, read afresh for each request, until SIGINT or SIGTERM; says where on standard output. Throws
// input_error where a target cannot be read at the first reading, or the address cannot be used. Later on, a target
// that cannot be read is a line on standard error, once, and the answer is 503 if nothing else can be read.
void export_stat(const std::vector<std::string>& targets, const http_options& options);

}  // namespace detent::tool
