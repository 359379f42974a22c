// SPDX-License-Identifier: MIT
// `detent stat --listen`: what `detent stat --prometheus` prints, over HTTP.
#pragma once
#include <string>
#include <vector>

#include "http/http_server.hpp"

namespace detent::tool {

// Serves /metrics until SIGINT or SIGTERM, with a new reading for each request, and says on standard output where.
// Throws input_error if a target cannot be read the first time, or if the address cannot be used. Later, a target that
// cannot be read is reported once on standard error; if nothing else can be read, the answer is 503.
void export_stat(const std::vector<std::string>& targets, const http_options& options);

}  // namespace detent::tool
