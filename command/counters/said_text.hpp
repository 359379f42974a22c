// SPDX-License-Identifier: MIT
#pragma once
#include <detent/counters_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace detent::tool {

// A line in a counters file that the engine writes again and again: the last error, a stall.
struct said_text {
  std::string text;  // printable
  std::int64_t at = 0;
};

// The line after the sequence at that offset: whole, or none, where the file has no such field, nothing has been said
// yet, or each time that it was tried another one was being written. `copy` reads bytes of the file, and throws.
std::optional<said_text> said_in(const counters_layout::header& header, std::size_t sequence_offset,
                                 const std::function<void(std::uint64_t offset, void* into, std::size_t bytes)>& copy);

}  // namespace detent::tool
