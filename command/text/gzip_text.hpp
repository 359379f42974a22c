// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// The text as one member of the gzip format (RFC 1952). At some 100 MB a second: it is made for one reader, at once.
// Throws bad_alloc.
std::string gzip_of(std::string_view text);

}  // namespace detent::tool
