// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace detent::durable::detail {

// The contents of record::attempt: a number, and in its higher bits the starts that did not come back. A store only
// compares it. Each part stops at its greatest value.
struct attempts {
  static constexpr std::uint32_t most = 0xffff, most_lost = 0xff, most_marks = 0xff;

  std::uint32_t number = 1;  // one more than the number of failed runs
  std::uint32_t lost = 0;    // starts that are believed to have ended their process
  std::uint32_t marks = 0;   // starts without an end that were written before they were made, or that a ring has shown

  static constexpr attempts of(std::uint32_t stored) noexcept {
    return {stored & 0xffff, stored >> 16 & 0xff, stored >> 24};
  }
  constexpr std::uint32_t stored() const noexcept {
    return std::min(number, most) | std::min(lost, most_lost) << 16 | std::min(marks, most_marks) << 24;
  }

  // The number of the next start, counted from 1.
  constexpr std::uint32_t next() const noexcept { return number + lost; }
  // Written before a start. The start counts as lost unless something else is written afterwards.
  constexpr attempts started() const noexcept { return {number, lost + 1, marks + 1}; }
  // passed() is for a start that has proved harmless, and shown() for one of which that is not known.
  constexpr attempts passed() const noexcept { return {number, 0, marks + 1}; }
  constexpr attempts shown() const noexcept { return {number, lost, marks + 1}; }
  // For a run that failed at attempt next().
  constexpr attempts failed() const noexcept { return {next() + 1, 0, 0}; }

  constexpr bool is_suspect() const noexcept { return marks != 0; }

  friend bool operator==(const attempts&, const attempts&) = default;
};

}  // namespace detent::durable::detail
