// SPDX-License-Identifier: MIT
// Attributes and built-in functions that compilers spell differently. MSVC's have not been tried.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>

#define DETENT_ALWAYS_INLINE [[msvc::forceinline]]
#define DETENT_NOINLINE [[msvc::noinline]]
#define DETENT_COLD
#define DETENT_FLATTEN [[msvc::flatten]]
#define DETENT_INITIAL_EXEC
#define DETENT_HIDDEN
#else
#define DETENT_ALWAYS_INLINE [[gnu::always_inline]]
#define DETENT_NOINLINE [[gnu::noinline]]
#define DETENT_COLD [[gnu::cold]]
#define DETENT_HIDDEN [[gnu::visibility("hidden")]]
#define DETENT_WEAK [[gnu::weak]]  // for a reference that may be null, with ELF
#define DETENT_FLATTEN [[gnu::flatten]]
#if defined(__ELF__)
// A thread's variable is read without a call, also in a shared library.
#define DETENT_INITIAL_EXEC [[gnu::tls_model("initial-exec")]]
#else
#define DETENT_INITIAL_EXEC
#endif
#endif

namespace detent::base {

// Fetches the cache line of `address`, which is about to be written. A hint: any address will do.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
  __builtin_prefetch(address, 1);
#endif
}
// Fetches it for reading or calling.
inline void prefetch_to_read(const void* address) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
  __builtin_prefetch(address);
#endif
}

// Hides the value from the compiler, in a register of its own.
inline void keep_in_register([[maybe_unused]] std::uint64_t& value) noexcept {
#if defined(__GNUC__)
  __asm__("" : "+r"(value));
#endif
}

// True if the result does not fit; `result` is meaningless then.
template <class Integer>
constexpr bool add_overflows(Integer a, Integer b, Integer& result) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  const auto sum = static_cast<Integer>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  result = sum;
  return b < 0 ? sum > a : sum < a;
#else
  return __builtin_add_overflow(a, b, &result);
#endif
}
template <class Integer>
constexpr bool subtract_overflows(Integer a, Integer b, Integer& result) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  const auto difference = static_cast<Integer>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  result = difference;
  return b < 0 ? difference < a : difference > a;
#else
  return __builtin_sub_overflow(a, b, &result);
#endif
}

// Products of 128 bits in two halves, for compilers that have no such type.
namespace in_halves {

constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t low_a = a & 0xffffffff, high_a = a >> 32, low_b = b & 0xffffffff, high_b = b >> 32;
  const std::uint64_t middle = high_a * low_b + (low_a * low_b >> 32);
  return high_a * high_b + (middle >> 32) + ((low_a * high_b + (middle & 0xffffffff)) >> 32);
}
constexpr std::uint64_t multiply_and_shift(std::uint64_t a, std::uint64_t b, unsigned bits) noexcept {
  return bits == 0 ? a * b : in_halves::multiply_high(a, b) << (64 - bits) | a * b >> bits;
}
constexpr std::uint64_t divide_scaled(std::uint64_t a, std::uint64_t b) noexcept {
  if (a >> 32 >= b) return UINT64_MAX;
  std::uint64_t quotient = a / b, rest = a % b;
  for (int bit = 0; bit < 32; ++bit) {  // long division, a bit at a time
    const bool carry = rest >> 63 != 0;
    rest <<= 1;
    quotient <<= 1;
    if (carry || rest >= b) {
      rest -= b;
      ++quotient;
    }
  }
  return quotient;
}

}  // namespace in_halves

#if defined(__SIZEOF_INT128__)
__extension__ using wide_product = unsigned __int128;

// The upper half of a product of 128 bits.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>(wide_product{a} * b >> 64);
}
// The product shifted to the right by 0 to 63 bits, if that fits.
constexpr std::uint64_t multiply_and_shift(std::uint64_t a, std::uint64_t b, unsigned bits) noexcept {
  return static_cast<std::uint64_t>(wide_product{a} * b >> bits);
}
// a * 2^32 / b, or the largest number if that does not fit. `b` must not be 0.
constexpr std::uint64_t divide_scaled(std::uint64_t a, std::uint64_t b) noexcept {
  return a >> 32 >= b ? UINT64_MAX : static_cast<std::uint64_t>((wide_product{a} << 32) / b);
}
#else
using in_halves::divide_scaled;
using in_halves::multiply_and_shift;
using in_halves::multiply_high;
#endif

}  // namespace detent::base
