// SPDX-License-Identifier: MIT
#pragma once
#include <detent/counters_layout.hpp>

#include <cstdint>
#include <string>

namespace detent::tool {

// Throws input_error, in one line that names the field, unless a file of `bytes` bytes can begin with this header and
// contains every section that is in use. `where` is the file's name.
void check_header(const counters_layout::header& header, std::uint64_t bytes, const std::string& where);

// Clears fields that an older engine does not have: its file has another section there.
void clear_missing_fields(counters_layout::header& seen);

}  // namespace detent::tool
