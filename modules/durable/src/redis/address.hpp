// SPDX-License-Identifier: MIT
// Where a Redis server listens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::redis {

struct address {
  std::string host;  // or the path of a socket, where there is no port
  int port = 0;

  bool is_path() const noexcept { return port == 0; }
  std::string text() const;
  friend bool operator==(const address&, const address&) = default;
};

// PATH, HOST:PORT or [HOST]:PORT; a path has a slash in it or no colon. std::invalid_argument for anything else.
address parse_address(std::string_view text);

// Several, separated by commas; at least one.
std::vector<address> parse_addresses(std::string_view text);

}  // namespace detent::durable::redis
