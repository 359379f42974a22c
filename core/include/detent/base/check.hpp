// SPDX-License-Identifier: MIT
// Two levels of assertion: DETENT_CHECK stays on in production, DETENT_ASSERT costs nothing in release builds.
#pragma once

namespace detent::base {
// Says on stderr which expectation failed and where, then aborts.
[[noreturn]] void check_failed(const char* expectation, const char* file, int line) noexcept;
}  // namespace detent::base

#define DETENT_CHECK(condition)                                \
  (__builtin_expect(static_cast<bool>(condition), 1) ? void(0) \
                                                     : ::detent::base::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define DETENT_ASSERT(condition) static_cast<void>(0)
#else
#define DETENT_ASSERT(condition) DETENT_CHECK(condition)
#endif
