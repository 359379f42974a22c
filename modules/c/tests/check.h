// SPDX-License-Identifier: MIT
// The checks that the C programs of this directory use.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#define MILLISECONDS INT64_C(1000000)
#define HOURS (INT64_C(3600000) * MILLISECONDS)

static inline void sleep_ns(long ns) {
  struct timespec pause = {ns / 1000000000, ns % 1000000000};
  nanosleep(&pause, NULL);
}

// Waits, on a machine of any speed, for a condition that must come true.
#define EVENTUALLY(condition)                           \
  do {                                                  \
    int looks = 0;                                      \
    while (!(condition)) {                              \
      CHECK(++looks < 20000 && "in time: " #condition); \
      sleep_ns(1000000);                                \
    }                                                   \
  } while (0)
