// SPDX-License-Identifier: MIT
// Two levels of assertion: DETENT_CHECK stays on in production; DETENT_ASSERT costs nothing in release builds, and is
// on in debug builds and in the checked library, which is compiled with DETENT_CHECKED.
#pragma once

namespace detent::base {
// Says on stderr which expectation failed and where, then aborts.
[[noreturn]] void check_failed(const char* expectation, const char* file, int line) noexcept;
}  // namespace detent::base

#define DETENT_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::detent::base::check_failed(#condition, __FILE__, __LINE__))

#if defined(NDEBUG) && !defined(DETENT_CHECKED)
#define DETENT_ASSERT(condition) static_cast<void>(0)
#else
#define DETENT_ASSERT(condition) DETENT_CHECK(condition)
#endif
