// SPDX-License-Identifier: MIT
// Happens-before annotations for ThreadSanitizer. It sees the atomics of the units that are compiled with it, and no
// others. A user's program that is compiled with it, and links a library that is not, would get a report for each
// callback that reads what the scheduling thread wrote. So the library annotates each hand-over, by weak references to
// the sanitizer's functions, which are null in every other program.
#pragma once

#include <detent/base/compiler.hpp>

#if defined(__SANITIZE_THREAD__)
#define DETENT_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DETENT_THREAD_SANITIZER 1
#endif
#endif

#if defined(DETENT_THREAD_SANITIZER) || !defined(__ELF__)
namespace detent::base {

// A unit that is watched itself shows everything by its atomics; to show more would hide the library's own mistakes. If
// a reference cannot be weak, there is no sanitizer either.
constexpr bool is_watched_from_outside() noexcept { return false; }
constexpr void show_release(const void*) noexcept {}
constexpr void show_acquire(const void*) noexcept {}

}  // namespace detent::base

#else

namespace detent::base {

namespace sanitizer {
DETENT_WEAK void acquire(void* what) __asm__("__tsan_acquire");
DETENT_WEAK void release(void* what) __asm__("__tsan_release");
}  // namespace sanitizer

// Returns whether the program runs under the sanitizer, although this unit is not compiled with it.
DETENT_ALWAYS_INLINE inline bool is_watched_from_outside() noexcept { return sanitizer::acquire != nullptr; }
// Tells the sanitizer that all before a thread's show_release(what) happened before all after another thread's
// show_acquire(what). `what` is the address of the thing that is handed over: an address that others share would hide
// races of the user's.
DETENT_ALWAYS_INLINE inline void show_release(const void* what) noexcept {
  if (is_watched_from_outside()) [[unlikely]]
    sanitizer::release(const_cast<void*>(what));
}
DETENT_ALWAYS_INLINE inline void show_acquire(const void* what) noexcept {
  if (is_watched_from_outside()) [[unlikely]]
    sanitizer::acquire(const_cast<void*>(what));
}

}  // namespace detent::base
#endif
