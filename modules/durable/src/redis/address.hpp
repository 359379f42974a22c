// SPDX-License-Identifier: MIT
// Where a Redis server listens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::redis {

struct address {
  std::string host;  // or the path of a socket, which has no port
  int port = 0;

  bool is_path() const noexcept { return port == 0; }
  std::string text() const;
  friend bool operator==(const address&, const address&) = default;
};

// Accepts PATH, HOST:PORT or [HOST]:PORT. A path has a slash in it or no colon. Throws std::invalid_argument for
// anything else.
address parse_address(std::string_view text);

// Accepts one or several addresses, separated by commas.
std::vector<address> parse_addresses(std::string_view text);

}  // namespace detent::durable::redis
