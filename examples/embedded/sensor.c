// SPDX-License-Identifier: MIT
#include "sensor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void drop(struct sensor* sensor, const char* why) {
  fprintf(stderr, "sensor_hub: sensor dropped: %s\n", why);
  ++sensor->hub->counts.dropped;
  sensor_disconnect(sensor);
}

static const char* why_not_scheduled(void) {
  const char* text = NULL;
  detent_last_error(&text);
  return text;
}

// All of the line, or false: a sensor that does not read must not hold up the others.
static bool send_line(struct sensor* sensor, const char* line, size_t length) {
  return send(sensor->socket, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static void on_idle(void* context);

// False: the sensor is gone.
static bool start_idle(struct sensor* sensor) {
  sensor->idle = detent_schedule_after(sensor->hub->engine, sensor->hub->options.idle_ns, on_idle, sensor);
  if (sensor->idle == 0) drop(sensor, why_not_scheduled());
  return sensor->idle != 0;
}

static void on_idle(void* context) {
  struct sensor* sensor = context;
  sensor->idle = 0;  // it has fired: there is nothing to cancel
  char byte;
  if (recv(sensor->socket, &byte, 1, MSG_PEEK) > 0) {
    start_idle(sensor);  // it has sent something, which the loop has not come to yet: perhaps this program was stopped
    return;
  }
  ++sensor->hub->counts.idle;
  send_line(sensor, "idle\n", 5);  // a courtesy: a sensor that does not read it sees the end of the connection
  sensor_disconnect(sensor);
}

static void on_settled(void* context) {
  struct sensor* sensor = context;
  char line[128];
  int length = snprintf(line, sizeof line, "settled %s after %u changes\n", sensor->reading, sensor->changes);
  sensor->settle = 0;
  sensor->changes = 0;
  ++sensor->hub->counts.settled;
  if (!send_line(sensor, line, (size_t)length)) drop(sensor, "it does not read what is sent");
}

// False: the sensor is gone.
static bool take_reading(struct sensor* sensor, const char* reading) {
  struct hub* hub = sensor->hub;
  ++hub->counts.lines;
  if (strcmp(reading, sensor->reading) == 0) return true;  // it lives, and has nothing new to say
  strcpy(sensor->reading, reading);                        // no longer than `input`, which is no longer than this
  ++sensor->changes;
  if (detent_restart_after(hub->engine, sensor->settle, hub->options.settle_ns)) return true;
  sensor->settle = detent_schedule_after(hub->engine, hub->options.settle_ns, on_settled, sensor);
  if (sensor->settle == 0) drop(sensor, why_not_scheduled());
  return sensor->settle != 0;
}

static void take_lines(struct sensor* sensor) {
  char *line = sensor->input, *end = sensor->input + sensor->used;
  for (char* newline; (newline = memchr(line, '\n', (size_t)(end - line))) != NULL; line = newline + 1) {
    *newline = '\0';
    if (!take_reading(sensor, line)) return;
  }
  sensor->used = (size_t)(end - line);
  memmove(sensor->input, line, sensor->used);
  if (sensor->used == sizeof sensor->input) drop(sensor, "it sent a line of more than 63 bytes");
}

static void on_readable(void* owner) {
  struct sensor* sensor = owner;
  ssize_t got = recv(sensor->socket, sensor->input + sensor->used, sizeof sensor->input - sensor->used, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0 && errno != ECONNRESET) {
    drop(sensor, strerror(errno));
  } else if (got <= 0) {
    ++sensor->hub->counts.left;
    sensor_disconnect(sensor);
  } else {
    detent_restart_after(sensor->hub->engine, sensor->idle, sensor->hub->options.idle_ns);
    sensor->used += (size_t)got;
    take_lines(sensor);
  }
}

void sensor_connect(struct hub* hub, int socket) {
  ++hub->counts.accepted;
  struct sensor* sensor = calloc(1, sizeof *sensor);
  if (sensor == NULL) {
    fprintf(stderr, "sensor_hub: sensor dropped: no memory\n");
    ++hub->counts.dropped;
    close(socket);
    return;
  }
  sensor->hub = hub;
  sensor->socket = socket;
  sensor->on_socket = (struct source){on_readable, sensor};
  sensor->next = hub->sensors;
  if (hub->sensors != NULL) hub->sensors->previous = sensor;
  hub->sensors = sensor;
  if (start_idle(sensor) && !hub_watch(hub, socket, &sensor->on_socket)) drop(sensor, strerror(errno));
}

void sensor_disconnect(struct sensor* sensor) {
  // One thread, so neither callback can be under way, but for the one that calls this: after these two lines nothing
  // will ever come back with this pointer. An id that is 0 or stale reaches nobody.
  detent_cancel(sensor->hub->engine, sensor->idle);
  detent_cancel(sensor->hub->engine, sensor->settle);
  close(sensor->socket);  // the loop forgets it with its last descriptor
  if (sensor->next != NULL) sensor->next->previous = sensor->previous;
  *(sensor->previous != NULL ? &sensor->previous->next : &sensor->hub->sensors) = sensor->next;
  free(sensor);
}
