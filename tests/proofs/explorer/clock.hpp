// SPDX-License-Identifier: MIT
// Vector clocks: what one thread of an execution knows of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace model {

inline constexpr std::size_t max_threads = 6;
using thread_index = std::uint8_t;
using moment = std::uint16_t;  // counts a thread's operations
inline constexpr moment never = UINT16_MAX;

class clock {
 public:
  moment operator[](std::size_t thread) const { return at_[thread]; }
  void tick(std::size_t thread) { ++at_[thread]; }
  void set(std::size_t thread, moment at) { at_[thread] = at; }
  void join(const clock& other) {
    for (std::size_t i = 0; i != max_threads; ++i) at_[i] = std::max(at_[i], other.at_[i]);
  }
  // The first thread of which this knows more than `other`; max_threads if there is none.
  std::size_t first_beyond(const clock& other) const {
    std::size_t thread = 0;
    while (thread != max_threads && at_[thread] <= other.at_[thread]) ++thread;
    return thread;
  }

 private:
  std::array<moment, max_threads> at_{};
};

// Everything that reaches a thread through an acquire. Fences and sequentially consistent operations order loads and
// stores (`seen`, `sequenced`) without ordering plain data (`ordered`).
struct knowledge {
  clock ordered;                // happens-before
  clock seen;                   // what loads and stores may not contradict; never less than `ordered`
  std::uint32_t sequenced = 0;  // likewise, of the sequentially consistent operations: those up to this number

  void tick(std::size_t thread) {
    ordered.tick(thread);
    seen.tick(thread);
  }
  void join(const knowledge& other) {
    ordered.join(other.ordered);
    seen.join(other.seen);
    sequenced = std::max(sequenced, other.sequenced);
  }
};

}  // namespace model
