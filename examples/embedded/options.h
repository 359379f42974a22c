// SPDX-License-Identifier: MIT
// What the command line says.
#pragma once

#include <stdint.h>

#define MILLISECOND INT64_C(1000000)

struct options {
  uint16_t port;      // 0: the kernel chooses one
  int64_t idle_ns;    // a sensor that is silent for so long is disconnected
  int64_t settle_ns;  // a reading counts once it has not changed for so long
  int64_t report_ns;  // between two lines of the report
};

// Ends the program where the command line is wrong (status 2), and after --help (0).
struct options read_options(int argc, char** argv);
