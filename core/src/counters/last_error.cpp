// SPDX-License-Identifier: MIT
#include "counters/last_error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace detent::detail {

static_assert(sizeof(last_error) == offsetof(counters_layout::header, set) - counters_layout::least_header_bytes);

void last_error::write(const char* text, nanoseconds_t at) noexcept {
  std::uint64_t seen = sequence_.load(base::relaxed);  // relaxed: the exchange confirms it
  // (1) acquire: pairs with (3), so that the words of the one before do not come after these. Relaxed: nothing is done.
  if (seen % 2 != 0 || !sequence_.compare_exchange_strong(seen, seen + 1, base::acquire, base::relaxed)) return;
  // (2) release: pairs with (5): a reader of a word of these finds the sequence odd, or later.
  at_.store(static_cast<std::uint64_t>(at), base::release);
  const std::size_t length = ::strnlen(text, most_bytes);
  for (std::size_t begin = 0; begin <= length; begin += sizeof(std::uint64_t)) {
    std::uint64_t packed = 0;  // what is left of it is the NUL
    std::memcpy(&packed, text + begin, std::min(length - begin, sizeof packed));
    text_[begin / sizeof packed].store(packed, base::release);  // (2)
  }
  sequence_.store(seen + 2, base::release);  // (3) release: pairs with (1) and (4)
}

error_report last_error::read(int tries) const {
  for (; tries > 0; --tries) {
    const std::uint64_t before = sequence_.load(base::acquire);  // (4) acquire: pairs with (3)
    if (before == 0) break;
    if (before % 2 != 0) continue;
    const std::uint64_t at = at_.load(base::acquire);  // (5) acquire: pairs with (2)
    char text[counters_layout::error_text_bytes];
    std::size_t length = 0;
    for (std::size_t i = 0; i != text_.size() && length == i * sizeof(word); ++i) {
      const std::uint64_t packed = text_[i].load(base::acquire);  // (5)
      std::memcpy(text + length, &packed, sizeof packed);
      length += ::strnlen(text + length, sizeof packed);
    }
    // Relaxed: (5) keeps it after the words.
    if (sequence_.load(base::relaxed) == before)
      return {.text = {text, length}, .at = to_time(static_cast<nanoseconds_t>(at))};
  }
  return {};
}

}  // namespace detent::detail
