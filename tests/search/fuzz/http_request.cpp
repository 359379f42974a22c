// SPDX-License-Identifier: MIT
// Fuzz target: a request's head without the empty line at its end. It is refused, or its values are lines, and a
// further field changes nothing else.
#include "http/http_request.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "search/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  const std::string lines(fuzz::text_of(data, size)), head = lines + "\r\n\r\n",
                                                      further = lines + "\r\nHOST: \tb \r\n\r\n";
  const auto request = tool::read_request(head), with_host = tool::read_request(further);
  fuzz::require(!tool::read_request(lines + "\r\n folded: x\r\n\r\n"), "a folded line is refused", lines);
  fuzz::require(request.has_value() == with_host.has_value(), "a sound field does not change whether it is one", lines);
  if (!request) return 0;
  for (const auto* values : {&request->hosts, &request->authorizations}) {
    for (const std::string_view each : *values) {
      fuzz::require(each.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos, "a value is a line",
                    lines);
      fuzz::require(each.empty() || std::string_view(" \t").find(each.front()) == std::string_view::npos,
                    "it is trimmed", lines);
    }
  }
  fuzz::require(with_host->hosts.size() == request->hosts.size() + 1 && with_host->hosts.back() == "b",
                "a field is read after all others", lines);
  fuzz::require(with_host->path == request->path && with_host->query == request->query &&
                    with_host->has_body == request->has_body,
                "a field changes nothing else", lines);
  return 0;
}
