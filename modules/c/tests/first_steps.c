// SPDX-License-Identifier: MIT
// A newcomer's program of the first ten minutes, in C.
#include <detent/detent.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

static void count(void* context) { atomic_fetch_add((atomic_int*)context, 1); }

struct appointment {
  int64_t due;
  atomic_int kept;
  atomic_bool early;
};

static void keep(void* context) {
  struct appointment* mine = context;
  if (detent_now() < mine->due) atomic_store(&mine->early, true);
  atomic_fetch_add(&mine->kept, 1);
}

struct returned {
  int timers;
  detent_timer timer;
  detent_callback callback;
  void* context;
};

static void note_returned(void* argument, detent_timer timer, int64_t deadline_ns, detent_callback callback,
                          void* context) {
  struct returned* seen = argument;
  CHECK(deadline_ns > detent_now() && deadline_ns <= detent_now() + 2 * HOURS);
  *seen = (struct returned){seen->timers + 1, timer, callback, context};
}

static void timers_fire_and_are_cancelled(detent_engine* engine, atomic_int* never) {
  struct appointment once = {.due = detent_now() + 5 * MILLISECONDS};
  atomic_int beats = 0, pauses = 0;
  detent_timer fires = detent_schedule_at(engine, once.due, keep, &once);
  detent_timer stopped = detent_schedule_after(engine, 5000 * MILLISECONDS, count, never);
  detent_timer beat = detent_schedule_at_fixed_rate(engine, MILLISECONDS, 2 * MILLISECONDS, count, &beats);
  detent_timer pause = detent_schedule_with_fixed_delay(engine, MILLISECONDS, 2 * MILLISECONDS, count, &pauses);
  CHECK(fires != 0 && detent_is_pending(engine, stopped) == 1);
  CHECK(stopped != fires && stopped != beat && beat != pause);
  CHECK(detent_cancel(engine, stopped) == DETENT_CANCELLED);
  CHECK(detent_cancel(engine, stopped) == DETENT_GONE);
  CHECK(detent_is_pending(engine, stopped) == 0);

  EVENTUALLY(atomic_load(&once.kept) == 1 && atomic_load(&beats) >= 5 && atomic_load(&pauses) >= 3);
  CHECK(!atomic_load(&once.early) && atomic_load(never) == 0);
  EVENTUALLY(detent_cancel(engine, fires) == DETENT_GONE);
  detent_cancel_and_wait(engine, beat);
  detent_cancel_and_wait(engine, pause);
  int after_cancel = atomic_load(&beats) + atomic_load(&pauses);
  sleep_ns(10 * MILLISECONDS);
  CHECK(atomic_load(&beats) + atomic_load(&pauses) == after_cancel);
}

static void a_keep_alive_moves(detent_engine* engine, detent_timer idle) {
  for (int i = 0; i < 20; ++i) {  // each packet moves the timeout later
    CHECK(detent_restart_after(engine, idle, HOURS) == 1);
    sleep_ns(MILLISECONDS);
  }
  CHECK(detent_restart_at(engine, idle, detent_now() + 2 * HOURS) == 1);
  CHECK(detent_is_pending(engine, idle) == 1 && detent_pending(engine) == 1);
}

static void a_timer_says_when_it_is_due(detent_engine* engine, detent_timer idle) {
  int64_t due = detent_now() + HOURS, deadline = 0, remaining = 0;
  CHECK(detent_restart_at(engine, idle, due) == 1);
  CHECK(detent_deadline(engine, idle, &deadline) == 1 && deadline == due);
  int64_t before = detent_now();
  CHECK(detent_remaining(engine, idle, &remaining) == 1);
  CHECK(remaining <= due - before && remaining >= due - detent_now());
  CHECK(detent_deadline(engine, 0, &deadline) == 0 && detent_remaining(engine, 0, &remaining) == 0);
  CHECK(deadline == due);  // unchanged
}

static void nothing_is_none(detent_engine* engine) {
  CHECK(detent_cancel(engine, 0) == DETENT_GONE && detent_cancel_and_wait(engine, 0) == DETENT_GONE);
  CHECK(detent_restart_after(engine, 0, 1) == 0 && detent_is_pending(engine, 0) == 0);
}

static void stop_gives_back(detent_engine* engine, detent_timer idle, atomic_int* never) {
  struct returned left = {0};
  CHECK(detent_stop(engine, note_returned, &left) == 0);
  CHECK(left.timers == 1 && left.timer == idle && left.callback == count && left.context == never);
  CHECK(detent_pending(engine) == 0 && detent_is_stopped(engine) == 1 && atomic_load(never) == 0);
  left.callback(left.context);
  CHECK(atomic_load(never) == 1);
  CHECK(detent_cancel(engine, idle) == DETENT_GONE);

  const char* text = NULL;
  CHECK(detent_schedule_after(engine, 1, count, never) == 0);
  CHECK(detent_last_error(&text) == DETENT_ERROR_STOPPED && strstr(text, "stopped") != NULL);
}

int main(void) {
  char why[200] = "";
  detent_engine* engine = detent_engine_create(NULL, why, sizeof why);
  CHECK(engine != NULL && why[0] == '\0');
  atomic_int never = 0;
  nothing_is_none(engine);
  detent_timer idle = detent_schedule_after(engine, 10 * HOURS, count, &never);
  timers_fire_and_are_cancelled(engine, &never);
  a_keep_alive_moves(engine, idle);
  a_timer_says_when_it_is_due(engine, idle);
  stop_gives_back(engine, idle, &never);

  detent_metrics seen;
  CHECK(detent_read_metrics(engine, &seen) == 0);
  CHECK(seen.scheduled == seen.expired + seen.cancelled + seen.returned + seen.dropped + seen.pending);
  CHECK(seen.scheduled == 5 && seen.expired == 1 && seen.returned == 1 && seen.restarted == 22);
  CHECK(seen.fired > seen.expired && seen.lateness_count == seen.fired && seen.lateness_p50 <= seen.lateness_max);
  detent_engine_destroy(engine);
  puts("first steps in C: ok");
}
