// SPDX-License-Identifier: MIT
// Randomness that a number repeats, on every machine and with every standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace detent::test {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: splitmix64.
class splitmix {
 public:
  explicit splitmix(std::uint64_t seed = 0) noexcept : state_(seed) {}
  // Each (seed, part) has its own stream: what one part draws does not depend on the others.
  splitmix(std::uint64_t seed, std::uint64_t part) noexcept : state_(mixed(seed) ^ mixed(~part)) {}

  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15u); }
  std::uint64_t below(std::uint64_t limit) noexcept { return limit == 0 ? 0 : next() % limit; }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }
  bool percent(unsigned chance) noexcept { return below(100) < chance; }
  template <class T, std::size_t n>
  T pick(const std::array<T, n>& from) noexcept {
    return from[below(n)];
  }
  // Draws each order of magnitude below 2^bits equally often.
  std::int64_t magnitude(unsigned bits) noexcept {
    return static_cast<std::int64_t>(below(std::uint64_t{1} << below(bits + 1)));
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace detent::test
