// SPDX-License-Identifier: MIT
// Compilers without 128-bit numbers compute in halves what the others compute.
#include <detent/base/compiler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace detent::base {
namespace {

// Factors at which a carry may be lost, and random ones.
std::vector<std::uint64_t> factors() {
  std::vector<std::uint64_t> all{0, 1, 2, 3, 0xffff'fffe, 0xffff'ffff, 0x1'0000'0000, UINT64_MAX - 1, UINT64_MAX};
  for (unsigned bit = 33; bit < 64; bit += 5) all.push_back((std::uint64_t{1} << bit) - 1);
  std::mt19937_64 random(39);
  for (int i = 0; i < 200; ++i) all.push_back(random() >> random() % 64);
  return all;
}

TEST(Compiler, MultipliesInHalvesAsInOnePiece) {
  for (const std::uint64_t a : factors()) {
    for (const std::uint64_t b : factors()) {
      ASSERT_EQ(in_halves::multiply_high(a, b), multiply_high(a, b)) << a << " * " << b;
      for (unsigned bits = 0; bits < 64; ++bits)
        ASSERT_EQ(in_halves::multiply_and_shift(a, b, bits), multiply_and_shift(a, b, bits))
            << a << " * " << b << " >> " << bits;
    }
  }
}

TEST(Compiler, DividesInHalvesAsInOnePiece) {
  for (const std::uint64_t a : factors()) {
    for (const std::uint64_t b : factors()) {
      if (b == 0) continue;
      ASSERT_EQ(in_halves::divide_scaled(a, b), divide_scaled(a, b)) << a << " / " << b;
    }
  }
}

}  // namespace
}  // namespace detent::base
