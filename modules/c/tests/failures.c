// SPDX-License-Identifier: MIT
// Wrong options are refused, and the error names the option and its value.
#include <detent/detent.h>

#include <stdatomic.h>
#include <string.h>

#include "check.h"

static void nothing(void* context) { (void)context; }

static detent_options defaults(void) {
  detent_options options;
  memset(&options, 0xff, sizeof options);
  detent_options_init(&options);
  return options;
}

static void refused(const detent_options* options, const char* named) {
  char why[300] = "?";
  const char* text = NULL;
  CHECK(detent_engine_create(options, why, sizeof why) == NULL);
  if (strstr(why, named) == NULL) fprintf(stderr, "'%s' does not say '%s'\n", why, named);
  CHECK(strstr(why, named) != NULL);
  CHECK(detent_last_error(&text) == DETENT_ERROR_INVALID_OPTION && strcmp(text, why) == 0);
  CHECK(detent_engine_create(options, NULL, 0) == NULL);
  char few[4] = "???";
  CHECK(detent_engine_create(options, few, sizeof few) == NULL && strlen(few) == 3 && few[3] == '\0');
}

#define REFUSED(option, value, named)    \
  do {                                   \
    detent_options options = defaults(); \
    options.option = value;              \
    refused(&options, named);            \
  } while (0)

static void impossible_options(void) {
  REFUSED(tick_ns, -1, "tick = -1");
  REFUSED(wheel, 2, "wheel = 2");
  REFUSED(wait, -7, "wait = -7");
  REFUSED(drive, 2, "drive = 2");
  REFUSED(clock, 9, "clock = 9");
  REFUSED(memory_source, 2, "memory_source = 2");
  REFUSED(huge_pages, 3, "huge_pages = 3");
  REFUSED(prefault, 3, "prefault = 3");
  REFUSED(lock_memory, 3, "lock_memory = 3");
  REFUSED(on_refusal, 3, "on_refusal = 3");
  REFUSED(size, 8, "size = 8");
  REFUSED(reserved[4], 1, "reserved");
  detent_options unset;
  memset(&unset, 0, sizeof unset);
  refused(&unset, "detent_options_init");
}

static void refused_timers(void) {
  detent_options options = defaults();
  options.max_pending = 2;
  options.drive = DETENT_DRIVE_CALLER;
  char why[10] = "?";
  detent_engine* engine = detent_engine_create(&options, why, sizeof why);
  CHECK(engine != NULL && why[0] == '\0');  // although earlier ones were refused
  const char* text = NULL;
  CHECK(detent_schedule_after(engine, HOURS, NULL, NULL) == 0);
  CHECK(detent_last_error(&text) == DETENT_ERROR_INVALID_OPTION && strstr(text, "callback = null") != NULL);
  CHECK(detent_schedule_at_fixed_rate(engine, 0, 0, nothing, NULL) == 0);
  CHECK(detent_last_error(&text) == DETENT_ERROR_INVALID_PERIOD && strstr(text, "period = 0") != NULL);
  CHECK(detent_schedule_with_fixed_delay(engine, 0, -3, nothing, NULL) == 0);
  CHECK(detent_last_error(&text) == DETENT_ERROR_INVALID_PERIOD && strstr(text, "period = -3") != NULL);
  CHECK(detent_schedule_after(engine, INT64_MAX, nothing, NULL) != 0);
  CHECK(detent_schedule_at(engine, INT64_MAX, nothing, NULL) != 0);
  CHECK(detent_schedule_after(engine, INT64_MIN, nothing, NULL) == 0);
  CHECK(detent_last_error(NULL) == DETENT_ERROR_CAPACITY_EXCEEDED);
  CHECK(detent_pending(engine) == 2);
  detent_engine_destroy(engine);
  detent_engine_destroy(NULL);
}

static void the_wrong_drive(void) {
  detent_engine* engine = detent_engine_create(NULL, NULL, 0);
  int64_t deadline = 0;
  CHECK(detent_poll(engine, 1) == DETENT_FAILED && detent_last_error(NULL) == DETENT_ERROR_WRONG_DRIVE);
  CHECK(detent_wake_fd(engine) == -1 && detent_next_deadline(engine, &deadline) == -1);
  detent_engine_destroy(engine);
}

struct stopper {
  detent_engine* engine;
  atomic_int result, code;
};

static void stop_inside(void* context) {
  struct stopper* mine = context;
  int result = detent_stop(mine->engine, NULL, NULL);
  atomic_store(&mine->code, detent_last_error(NULL));
  atomic_store(&mine->result, result);
}

static void stop_from_a_callback(void) {
  struct stopper mine = {.engine = detent_engine_create(NULL, NULL, 0), .result = 7};
  CHECK(detent_schedule_after(mine.engine, 0, stop_inside, &mine) != 0);
  EVENTUALLY(atomic_load(&mine.result) != 7);
  CHECK(atomic_load(&mine.result) == -1 && atomic_load(&mine.code) == DETENT_ERROR_CALLED_FROM_CALLBACK);
  CHECK(detent_is_stopped(mine.engine) == 0);
  CHECK(detent_stop(mine.engine, NULL, NULL) == 0 && detent_stop(mine.engine, NULL, NULL) == 0);
  detent_engine_destroy(mine.engine);
}

static void named(const char* part) {
  const char* text = NULL;
  CHECK(detent_last_error(&text) == DETENT_ERROR_INVALID_OPTION);
  if (strstr(text, part) == NULL) fprintf(stderr, "'%s' does not say '%s'\n", text, part);
  CHECK(strstr(text, part) != NULL);
}

#define NAMED(call, failed, part) \
  do {                            \
    CHECK((call) == (failed));    \
    named(part);                  \
  } while (0)

static void null_pointers(void) {
  const char *engine = "engine = null", *out = "deadline_ns = null";
  detent_engine *none = NULL, *made = detent_engine_create(NULL, NULL, 0);
  int64_t ns = 7;
  detent_metrics metrics;
  NAMED(detent_schedule_at(none, 0, nothing, NULL), 0, engine);
  NAMED(detent_schedule_after(none, 0, nothing, NULL), 0, engine);
  NAMED(detent_schedule_at_fixed_rate(none, 0, 1, nothing, NULL), 0, engine);
  NAMED(detent_schedule_with_fixed_delay(none, 0, 1, nothing, NULL), 0, engine);
  NAMED(detent_schedule_at_tagged(made, 0, NULL, NULL, 1), 0, "callback = null");
  NAMED(detent_schedule_with_fixed_delay_tagged(made, 0, 1, NULL, NULL, 1), 0, "callback = null");
  NAMED(detent_cancel(none, 1), DETENT_GONE, engine);
  NAMED(detent_cancel_and_wait(none, 1), DETENT_GONE, engine);
  NAMED(detent_restart_at(none, 1, 0), 0, engine);
  NAMED(detent_restart_after(none, 1, 0), 0, engine);
  NAMED(detent_is_pending(none, 1), 0, engine);
  NAMED(detent_deadline(none, 1, &ns), 0, engine);
  NAMED(detent_deadline(made, 1, NULL), 0, out);
  NAMED(detent_remaining(made, 1, NULL), 0, "remaining_ns = null");
  NAMED(detent_poll(none, 1), DETENT_FAILED, engine);
  NAMED(detent_wake_fd(none), -1, engine);
  NAMED(detent_next_deadline(made, NULL), -1, out);
  NAMED(detent_read_metrics(none, &metrics), -1, engine);
  NAMED(detent_read_metrics(made, NULL), -1, "metrics = null");
  NAMED(detent_read_run(NULL), 0, "run = null");
  NAMED(detent_stop(none, NULL, NULL), -1, engine);
  NAMED(detent_is_stopped(none), 0, engine);
  NAMED(detent_pending(none), 0, engine);
  NAMED(detent_worker_thread_id(none), 0, engine);
  NAMED(detent_clock(none, NULL), -1, engine);
  detent_options_init(NULL);
  named("options = null");
  CHECK(ns == 7 && detent_pending(made) == 0);
  detent_engine_destroy(made);
}

int main(void) {
  null_pointers();
  impossible_options();
  refused_timers();
  the_wrong_drive();
  stop_from_a_callback();
  puts("failures in C: ok");
}
