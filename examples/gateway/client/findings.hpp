// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

namespace load {

// Counts promises that were broken, and says of the first ones what happened.
class findings {
 public:
  template <class... Values>
  void broken(fmt::format_string<Values...> what, Values&&... values) {
    if (++count_ > most_told) return;
    fmt::print(stderr, "client: BROKEN: {}\n", fmt::format(what, std::forward<Values>(values)...));
  }
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::uint64_t most_told = 20;
  std::uint64_t count_ = 0;
};

}  // namespace load
