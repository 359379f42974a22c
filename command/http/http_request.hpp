// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

using http_query = std::map<std::string, std::string>;  // parameters after the ? of an address, decoded

// The parts of a request's head that an answer depends on. A server may ignore all other fields, including Range (RFC
// 9110, 14.2), so a page is sent as a whole. The views refer to the text that was read.
struct http_request {
  std::string_view method;
  std::string path;                                     // decoded
  http_query query;                                     // the first value, if a name comes twice
  std::vector<std::string_view> hosts, authorizations;  // the values of all fields with these names
  bool takes_gzip = false;                              // according to Accept-Encoding
  bool has_body = false;                                // a body follows, or its length is not understood
};

// Reads a head that ends with \r\n\r\n. Returns nullopt unless it is a request line of HTTP/1, followed by fields that
// each have a name (RFC 9112, 3 and 5), without white space before a colon, folded lines, CR or LF within a line, or
// NUL.
std::optional<http_request> read_request(std::string_view head);

}  // namespace detent::tool
