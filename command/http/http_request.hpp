// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

using http_query = std::map<std::string, std::string>;  // parameters after the ? of an address, decoded

// The parts of a request's head that an answer depends on. A server may ignore all other fields, Range (RFC 9110, 14.2)
// among them, so that a page is sent once and as a whole. The views are of the text that was read.
struct http_request {
  std::string_view method;
  std::string path;                                     // decoded
  http_query query;                                     // of a name that comes twice, the first value
  std::vector<std::string_view> hosts, authorizations;  // the values of all fields of these names
  bool takes_gzip = false;                              // by Accept-Encoding
  bool has_body = false;                                // a body follows, or its length cannot be understood
};

// Reads a head that ends with \r\n\r\n. Returns nullopt unless it is a request line of HTTP/1 and fields with a name
// each (RFC 9112, 3 and 5): no white space before a colon, no folded line, no CR or LF within a line, no NUL.
std::optional<http_request> read_request(std::string_view head);

}  // namespace detent::tool
