// SPDX-License-Identifier: MIT
// Messages on standard error.
#pragma once
#include <string_view>

namespace detent::tool {

// Prints "detent: TEXT" and a line feed, in one write. If standard error cannot be written, because it is closed, its
// disk is full or its pipe has no reader, the message is lost. There is no exception and no signal.
void complain(std::string_view text) noexcept;

// Opens /dev/null for each of the descriptors 0 to 2 that is closed, so that no file opened later takes its number and
// receives messages. Reading from that standard input fails, and so does writing to the other two. To be called by
// main() before it opens anything.
void hold_standard_descriptors() noexcept;

}  // namespace detent::tool
