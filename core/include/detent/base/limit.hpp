// SPDX-License-Identifier: MIT
// A private limit has two values, of which the build chooses one.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

namespace detent::base {

// Set by the CMake option DETENT_TIGHT_LIMITS, only for tests.
#ifdef DETENT_TIGHT_LIMITS
inline constexpr bool limits_are_tight = true;
#else
inline constexpr bool limits_are_tight = false;
#endif

// The released value and the tight one. The latter is the smallest at which the code is right and still takes both of
// the ways between which the limit decides, so that a short program meets both.
class limit {
 public:
  constexpr limit(std::int64_t released, std::int64_t tight) : value_(limits_are_tight ? tight : released) {}

  template <std::integral Number>
  constexpr operator Number() const {
    return std::in_range<Number>(value_) ? static_cast<Number>(value_) : throw "out of the type's range";
  }

 private:
  std::int64_t value_;
};

}  // namespace detent::base
