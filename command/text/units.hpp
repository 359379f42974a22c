// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

namespace detent::tool {

std::string time_text(double ns);             // three digits and a suitable unit: "41 ns", "2.35 us", "1.2 s"
std::string count_text(std::uint64_t count);  // digits in groups of three: "1,234,567"
std::string percent_text(double fraction);    // "12.3 %"
std::string bytes_text(std::uint64_t bytes);  // "64 KiB", "1.5 GiB"

}  // namespace detent::tool
