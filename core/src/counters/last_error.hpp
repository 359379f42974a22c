// SPDX-License-Identifier: MIT
// The last exception of a callback, for other threads and other processes to read.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/counters_layout.hpp>
#include <detent/metrics.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

// A sequence lock of words: odd while they are being written. Zeroed memory has no error. Writers do not wait: of two
// at one time the second gives up, because the first is as recent. Readers do not hold up writers.
class last_error {
 public:
  static constexpr std::size_t most_bytes = counters_layout::error_text_bytes - 1;  // of a text; the rest is cut off

  // Any thread.
  void write(const char* text, nanoseconds_t at) noexcept;
  // Returns the last one whole; empty if there is none, or if one was being written at each of at most `tries`
  // attempts. Throws bad_alloc.
  error_report read(int tries = 64) const;

 private:
  using word = base::atomic<std::uint64_t>;

  word sequence_{0};                                                           // twice the number of those written
  word at_{0};                                                                 // CLOCK_MONOTONIC, nanoseconds
  std::array<word, counters_layout::error_text_bytes / sizeof(word)> text_{};  // ends with a NUL
};

}  // namespace detent::detail
