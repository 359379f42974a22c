// SPDX-License-Identifier: MIT
// Messages on standard error.
#pragma once
#include <string_view>

namespace detent::tool {

// Prints "detent: TEXT" and ends the line, in one write. Where standard error cannot be written (it is closed, its disk
// is full, its pipe has no reader), the message is lost and nothing else happens: no exception, no signal.
void complain(std::string_view text) noexcept;

// Opens /dev/null for each of the descriptors 0 to 2 that is closed, so that no file which is opened later takes its
// number and then receives a message. Reading from that standard input fails, and so does writing to the other two.
// For main(), before it opens anything.
void hold_standard_descriptors() noexcept;

}  // namespace detent::tool
