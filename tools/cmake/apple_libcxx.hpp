// SPDX-License-Identifier: MIT
// What Apple's libc++ lacks on an older macOS, in the words of libc++ 14's <__availability>, which
// -D_LIBCPP___AVAILABILITY leaves out: waits of atomics, semaphores, latches and barriers (before macOS 11), files
// (before 10.15), and numbers with a point as text. Using one does not compile. std::jthread and stop tokens libc++ 14
// lacks by itself.
#pragma once

#define _LIBCPP_AVAILABILITY_SYNC __attribute__((unavailable("not before macOS 11")))
#define _LIBCPP_AVAILABILITY_DISABLE_FTM___cpp_lib_atomic_wait
#define _LIBCPP_AVAILABILITY_DISABLE_FTM___cpp_lib_barrier
#define _LIBCPP_AVAILABILITY_DISABLE_FTM___cpp_lib_latch
#define _LIBCPP_AVAILABILITY_DISABLE_FTM___cpp_lib_semaphore
#define _LIBCPP_AVAILABILITY_FILESYSTEM __attribute__((unavailable("not before macOS 10.15")))
#define _LIBCPP_AVAILABILITY_DISABLE_FTM___cpp_lib_filesystem
#define _LIBCPP_AVAILABILITY_TO_CHARS_FLOATING_POINT __attribute__((unavailable("not on macOS")))

// There.
#define _LIBCPP_AVAILABILITY_SHARED_MUTEX
#define _LIBCPP_AVAILABILITY_BAD_OPTIONAL_ACCESS
#define _LIBCPP_AVAILABILITY_BAD_VARIANT_ACCESS
#define _LIBCPP_AVAILABILITY_BAD_ANY_CAST
#define _LIBCPP_AVAILABILITY_UNCAUGHT_EXCEPTIONS
#define _LIBCPP_AVAILABILITY_SIZED_NEW_DELETE
#define _LIBCPP_AVAILABILITY_FUTURE_ERROR
#define _LIBCPP_AVAILABILITY_TYPEINFO_VTABLE
#define _LIBCPP_AVAILABILITY_LOCALE_CATEGORY
#define _LIBCPP_AVAILABILITY_ATOMIC_SHARED_PTR
#define _LIBCPP_AVAILABILITY_TO_CHARS
#define _LIBCPP_AVAILABILITY_FORMAT
#define _LIBCPP_AVAILABILITY_FUTURE
#define _LIBCPP_AVAILABILITY_THROW_BAD_ANY_CAST
#define _LIBCPP_AVAILABILITY_THROW_BAD_OPTIONAL_ACCESS
#define _LIBCPP_AVAILABILITY_THROW_BAD_VARIANT_ACCESS
#define _LIBCPP_AVAILABILITY_FILESYSTEM_PUSH
#define _LIBCPP_AVAILABILITY_FILESYSTEM_POP
