// SPDX-License-Identifier: MIT
// The address on which a server listens, and the names by which requests may ask for it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

struct listen_address {
  std::string host;  // an IPv4 or IPv6 address, without brackets
  int port = 0;      // 0 for any free port
  bool loopback() const;
  std::string text() const;  // HOST:PORT, with brackets for IPv6
};

// Reads PORT, :PORT, ADDR:PORT or [ADDR]:PORT. `localhost`, and a missing address, are 127.0.0.1. Throws usage_error.
listen_address listen_address_of(std::string_view option, std::string_view text);

// Returns the name of a host as a request may have it: letters, digits, '-', '.' and '_'. Throws usage_error.
std::string host_name_of(std::string_view option, std::string_view text);

// Returns whether a request with this Host field is meant for a server at `at`. A web page whose name was made to lead
// to this machine (DNS rebinding) sends its own name, so a name must be `localhost` or one of `names`. An address
// cannot be rebound; but if the server listens on a loopback address, the field's address must be one as well.
bool is_own_host(std::string_view field, const listen_address& at, const std::vector<std::string>& names);

}  // namespace detent::tool
