// SPDX-License-Identifier: MIT
// The ground that the library stands on: Linux, with all that its kernel offers, or C++20 alone. docs/portability.md
// lists the differences. DETENT_PORTABLE selects the second one on Linux as well; CMake sets it for all that include
// detent if DETENT_GROUND is `portable`.
#pragma once

#if defined(__linux__) && !defined(DETENT_PORTABLE)
#define DETENT_GROUND_LINUX 1
#endif
