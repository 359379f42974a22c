// SPDX-License-Identifier: MIT
#include "counters/said_text.hpp"

#include <array>

#include "counters/counters_identity.hpp"

namespace detent::tool {

using counters_layout::header;

std::optional<said_text> said_in(const header& header, std::size_t sequence_offset,
                                 const std::function<void(std::uint64_t offset, void* into, std::size_t bytes)>& copy) {
  constexpr std::size_t at_offset =
      offsetof(counters_layout::header, error_at) - offsetof(counters_layout::header, error_sequence);
  constexpr std::size_t text_offset =
      offsetof(counters_layout::header, error_text) - offsetof(counters_layout::header, error_sequence);
  if (header.header_bytes < sequence_offset + text_offset + counters_layout::error_text_bytes) return {};
  const auto sequence = [&] {
    std::uint64_t out = 0;
    copy(sequence_offset, &out, sizeof out);
    return out;
  };
  for (int tries = 10; tries != 0; --tries) {
    const std::uint64_t before = sequence();
    if (before == 0) return {};
    std::int64_t at = 0;
    std::array<char, counters_layout::error_text_bytes> text{};
    copy(sequence_offset + at_offset, &at, sizeof at);
    copy(sequence_offset + text_offset, text.data(), text.size());
    if (before % 2 != 0 || sequence() != before) continue;
    return said_text{printable_name(text.data(), text.size()), in_own_time(header, at)};
  }
  return {};
}

}  // namespace detent::tool
