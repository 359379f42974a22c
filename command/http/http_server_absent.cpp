// SPDX-License-Identifier: MIT
// In place of the server, where there is no library for it.
#include <fmt/format.h>

#include <utility>

#include "http/http_server.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

class http_server::parts {};

http_server::http_server(http_options options) : options_(std::move(options)) {
  throw input_error(fmt::format("{}: this build has no HTTP; it needs cpp-httplib (Debian: libcpp-httplib-dev)",
                                options_.socket.empty() ? "--listen " + options_.at.text() : "--socket"));
}

http_server::~http_server() = default;

// NOLINTNEXTLINE(performance-unnecessary-value-param): the server that there is keeps it
void http_server::add(const std::string&, std::function<http_answer(const http_query&)>) {}

void http_server::allow_own_content() {}

void http_server::serve() {}

}  // namespace detent::tool
