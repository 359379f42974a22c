// SPDX-License-Identifier: MIT
// Randomness that a failure can be repeated with.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

namespace detent::test {

// Makes a new seed for each run, and prints it.
inline std::uint64_t new_seed() {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

class random_source {
 public:
  explicit random_source(std::uint64_t seed)
      : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << seed), engine_(seed) {}

  // Draws each value of first..last equally often.
  template <class T>
  T between(T first, T last) {
    return std::uniform_int_distribution<T>(first, last)(engine_);
  }
  // Draws from 0 to 2^bits - 1, each order of magnitude equally often.
  std::int64_t any_magnitude(unsigned bits) {
    unsigned width = between(0U, bits);
    return width == 0 ? 0 : between<std::int64_t>(0, std::numeric_limits<std::int64_t>::max() >> (63U - width));
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  ::testing::ScopedTrace trace_;  // names the seed in each failure as long as it exists
  std::mt19937_64 engine_;
};

}  // namespace detent::test
