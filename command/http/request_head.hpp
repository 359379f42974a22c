// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// The head of a request before any library reads it. All of them take a head with \r\n\r\n at its end.

// Whether it is a request line that begins with a method, and fields with a name each (RFC 9112, 5): no white space
// before a colon, no folded line, no CR or LF within a line, no NUL.
bool is_well_formed(std::string_view head);

// As the library shall see it. It knows some methods only, so that POST stands for all but GET and HEAD. Without Range
// fields: a server may ignore them (RFC 9110, 14.2); the library matches them by a recursive regular expression, and
// would send a page as often as it is asked for in one of them. Without Accept-Encoding fields: the library compresses
// as the client likes, which takes a hundred times as long as making the page, in the only thread that answers.
std::string simplified(std::string_view head);

}  // namespace detent::tool
