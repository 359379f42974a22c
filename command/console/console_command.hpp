// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

#include "http/http_server.hpp"

namespace detent::tool {

struct console_options {
  http_options http = {.at = {.host = "127.0.0.1", .port = 9465}};
  std::string directory = "/dev/shm";                      // of counters files
  std::string store;                                       // as `detent durable --store` has it; empty: none
  std::string history;                                     // as open_history() has it
  std::chrono::microseconds keep = std::chrono::hours(1);  // how long that is
};

// Serves the page until SIGINT or SIGTERM; says where on standard output. Throws input_error where the directory, the
// store, the history, the token file or the address cannot be used, and usage_error where an address that other hosts
// reach has no token.
void run_console(const console_options& options);

}  // namespace detent::tool
