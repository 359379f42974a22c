// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

#include "http/http_server.hpp"

namespace detent::tool {

struct console_options {
  http_options http = {.at = {.host = "127.0.0.1", .port = 9465}};
  std::string directory = "/dev/shm";                      // with the counters files
  std::string store;                                       // as for `detent durable --store`; empty if there is none
  std::string history;                                     // as for open_history()
  std::chrono::microseconds keep = std::chrono::hours(1);  // the length of the history
};

// Serves the page until SIGINT or SIGTERM, and says on standard output where. Throws input_error if the directory, the
// store, the history, the token file or the address cannot be used, and usage_error if an address that other hosts can
// reach has no token.
void run_console(const console_options& options);

}  // namespace detent::tool
