// SPDX-License-Identifier: MIT
// DETENT_C_API: what stands before each function of <detent/detent.h>, as compilers spell it.
#ifndef DETENT_BASE_C_API_H
#define DETENT_BASE_C_API_H

#if defined(__GNUC__)
#define DETENT_C_API __attribute__((visibility("default")))
#else
#define DETENT_C_API
#endif

#endif
