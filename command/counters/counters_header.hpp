// SPDX-License-Identifier: MIT
#pragma once
#include <detent/counters_layout.hpp>

#include <cstdint>
#include <string>

namespace detent::tool {

// Throws input_error, one line that names the field, unless a file of that many bytes can begin with this header and
// every section that is in use lies within it. `where` is the file's name.
void check_header(const counters_layout::header& header, std::uint64_t bytes, const std::string& where);

// Clears what an older engine has no fields for: there, its file has another section.
void clear_missing_fields(counters_layout::header& seen);

}  // namespace detent::tool
