// SPDX-License-Identifier: MIT
#include "address.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace detent::durable::redis {

std::string address::text() const { return is_path() ? host : host + ":" + std::to_string(port); }

address parse_address(std::string_view text) {
  const auto refuse = [&](const char* why) -> std::invalid_argument {
    return std::invalid_argument("the address of a Redis server '" + std::string(text) + "' " + why +
                                 ": give the path of a socket, or HOST:PORT");
  };
  const std::size_t colon = text.rfind(':');
  if (text.empty()) throw refuse("is empty");
  if (text.find('/') != std::string_view::npos || colon == std::string_view::npos) return {std::string(text), 0};
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  int number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (host.empty()) throw refuse("has no host");
  if (failed != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535)
    throw refuse("has no port from 1 to 65535");
  return {std::string(host), number};
}

std::vector<address> parse_addresses(std::string_view text) {
  std::vector<address> all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    all.push_back(parse_address(text.substr(from, comma - from)));
    from = comma + 1;
  }
  return all;
}

}  // namespace detent::durable::redis
