// SPDX-License-Identifier: MIT
// One connected sensor: its lines, and its two timers.
#pragma once

#include "hub.h"

struct sensor {
  struct hub* hub;
  struct sensor *next, *previous;
  struct source on_socket;
  int socket;
  detent_timer idle;    // pending as long as the sensor is connected; each line moves it later
  detent_timer settle;  // pending while a reading is unsettled; each change moves it later
  unsigned changes;     // since a reading last settled
  char reading[64];
  char input[64];  // the beginning of a line whose end has not come
  size_t used;
};

// Takes over the socket.
void sensor_connect(struct hub* hub, int socket);
// Cancels its timers, closes its socket and frees it.
void sensor_disconnect(struct sensor* sensor);
