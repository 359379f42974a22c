// SPDX-License-Identifier: MIT
// Numbers from a seed: eight bytes of state, so each thread has its own.
#pragma once

#include <cstdint>

namespace stress {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t operator()() noexcept {  // splitmix64
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
  }
  // 0 to n - 1.
  std::uint64_t below(std::uint64_t n) noexcept { return (*this)() % n; }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace stress
