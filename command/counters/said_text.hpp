// SPDX-License-Identifier: MIT
#pragma once
#include <detent/counters_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace detent::tool {

// A line in a counters file that the engine overwrites again and again: the last error, or a stall.
struct said_text {
  std::string text;  // printable
  std::int64_t at = 0;
};

// Reads the line after the sequence at that offset. Returns nothing if the file has no such field, if nothing was
// written yet, or if each try met a line that was being written. `copy` reads bytes of the file and may throw.
std::optional<said_text> said_in(const counters_layout::header& header, std::size_t sequence_offset,
                                 const std::function<void(std::uint64_t offset, void* into, std::size_t bytes)>& copy);

}  // namespace detent::tool
