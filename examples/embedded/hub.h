// SPDX-License-Identifier: MIT
// The hub: one thread, one epoll loop, and one detent engine that the loop drives.
#pragma once

#include <detent/detent.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

// A descriptor in the loop, and whom its readiness concerns.
struct source {
  void (*on_ready)(void* owner);
  void* owner;
};

// At any time: accepted = idle + left + dropped + those that are connected.
struct counts {
  uint64_t accepted, lines, settled;
  uint64_t idle;     // silent for too long
  uint64_t left;     // hung up themselves
  uint64_t dropped;  // sent what is no line, did not read what was sent, or were there at the end
};

struct hub {
  struct options options;
  detent_engine* engine;
  int loop, listener, signals;
  struct source on_listener, on_signals;
  int64_t started_ns;
  bool ending;
  struct sensor* sensors;
  struct counts counts;
};

// False: it failed, and stderr has the reason.
bool hub_open(struct hub* hub, const struct options* options);
// Serves until SIGTERM or SIGINT. False: the loop itself failed.
bool hub_run(struct hub* hub);
// Disconnects all, prints what was done, and checks that no timer was lost. False: one was.
bool hub_close(struct hub* hub);

// For the parts of the hub.
bool hub_watch(struct hub* hub, int descriptor, struct source* source);
