// SPDX-License-Identifier: MIT
// Every kind of engine that options can ask for; ids that go stale; an engine inside another library's event loop.
#include <detent/detent.h>

#include <poll.h>
#include <stdatomic.h>

#include "check.h"

static void count(void* context) { atomic_fetch_add((atomic_int*)context, 1); }

static detent_engine* make(const detent_options* options) {
  char why[300] = "";
  detent_engine* engine = detent_engine_create(options, why, sizeof why);
  if (engine == NULL) fprintf(stderr, "%s\n", why);
  CHECK(engine != NULL);
  return engine;
}

// One place in the node pool is used again and again: an old id never reaches a new timer.
static void stale_ids_reach_nobody(void) {
  detent_options options;
  detent_options_init(&options);
  options.drive = DETENT_DRIVE_CALLER;
  detent_engine* engine = make(&options);
  atomic_int runs = 0;
  enum { lives = 1000 };
  static detent_timer old[lives];
  for (int i = 0; i < lives; ++i) {
    old[i] = detent_schedule_after(engine, HOURS, count, &runs);
    CHECK(old[i] != 0);
    if (i + 1 < lives) CHECK(detent_cancel(engine, old[i]) == DETENT_CANCELLED);
  }
  for (int i = 0; i + 1 < lives; ++i) {
    CHECK(old[i] != old[lives - 1]);
    CHECK(detent_cancel(engine, old[i]) == DETENT_GONE && detent_restart_at(engine, old[i], 0) == 0);
    CHECK(detent_is_pending(engine, old[i]) == 0);
  }
  CHECK(detent_pending(engine) == 1 && detent_restart_at(engine, old[lives - 1], 0) == 1);
  CHECK(detent_poll(engine, SIZE_MAX) == 1 && atomic_load(&runs) == 1);
  detent_engine* other = make(&options);
  CHECK(detent_cancel(other, old[0]) == DETENT_GONE);  // it never had that timer
  detent_engine_destroy(other);
  detent_engine_destroy(engine);
}

struct facts {
  int inside;
  detent_run run;
};

static void look(void* context) {
  struct facts* found = context;
  found->inside = detent_read_run(&found->run);
}

static void a_callback_knows_its_run(void) {
  detent_options options;
  detent_options_init(&options);
  options.drive = DETENT_DRIVE_CALLER;
  detent_engine* engine = make(&options);
  struct facts once = {0}, often = {0};
  CHECK(detent_read_run(&once.run) == 0);
  const int64_t due = detent_now() + MILLISECONDS;
  detent_timer first = detent_schedule_at_tagged(engine, due, look, &once, 42);
  detent_timer second = detent_schedule_at_fixed_rate(engine, MILLISECONDS, MILLISECONDS, look, &often);
  const int64_t both = detent_now();  // later than `due - MILLISECONDS`; by how much is up to the kernel
  while (detent_now() < both + 6 * MILLISECONDS) sleep_ns(MILLISECONDS);
  CHECK(detent_poll(engine, SIZE_MAX) == 2);
  CHECK(once.inside == 1 && once.run.deadline_ns == due && once.run.missed == 0 && once.run.tag == 42);
  CHECK(once.run.timer == first && once.run.started_ns >= due + 5 * MILLISECONDS);
  CHECK(once.run.lateness_ns == once.run.started_ns - once.run.deadline_ns);
  CHECK(often.inside == 1 && often.run.missed >= 4 && often.run.timer == second && often.run.tag == 0);
  CHECK(often.run.lateness_ns < MILLISECONDS || often.run.lateness_ns == often.run.started_ns - often.run.deadline_ns);
  CHECK(detent_read_run(&once.run) == 0);
  detent_engine_destroy(engine);
}

static void a_callers_loop(void) {
  detent_options options;
  detent_options_init(&options);
  options.drive = DETENT_DRIVE_CALLER;
  detent_engine* engine = make(&options);
  atomic_int fired = 0;
  int64_t next = 0, due = detent_now() + 3 * MILLISECONDS;
  CHECK(detent_worker_thread_id(engine) == 0);
  struct pollfd wake = {detent_wake_fd(engine), POLLIN, 0};
  CHECK(wake.fd >= 0 && detent_next_deadline(engine, &next) == 0);
  for (int i = 0; i < 3; ++i) CHECK(detent_schedule_at(engine, due, count, &fired) != 0);
  CHECK(detent_next_deadline(engine, &next) == 1 && next == due);
  CHECK(poll(&wake, 1, 30000) == 1 && detent_now() >= due);
  CHECK(detent_poll(engine, 1) == 1 && atomic_load(&fired) == 1);
  CHECK(detent_poll(engine, SIZE_MAX) == 2 && detent_poll(engine, SIZE_MAX) == 0);
  CHECK(atomic_load(&fired) == 3 && detent_next_deadline(engine, &next) == 0);
  detent_engine_destroy(engine);
}

static void fires_with(const detent_options* options) {
  detent_engine* engine = make(options);
  CHECK(detent_worker_thread_id(engine) > 0);
  const char* reason = NULL;
  const int clock = detent_clock(engine, &reason);
  CHECK(clock == DETENT_CLOCK_STEADY || clock == DETENT_CLOCK_TSC);
  CHECK((clock == DETENT_CLOCK_TSC) == (reason[0] == 0));  // a reason unless it is the TSC
  CHECK(detent_clock(engine, NULL) == clock);
  atomic_int runs = 0;
  for (int i = 0; i < 100; ++i) CHECK(detent_schedule_after(engine, i * 10000, count, &runs) != 0);
  EVENTUALLY(atomic_load(&runs) == 100);
  CHECK(detent_stop(engine, NULL, NULL) == 0);
  detent_metrics seen;
  CHECK(detent_read_metrics(engine, &seen) == 0 && seen.fired == 100 && seen.expired == 100 && seen.boxed == 0);
  detent_engine_destroy(engine);
}

static void every_kind(void) {
  detent_options options;
  for (int wheel = DETENT_WHEEL_HIERARCHICAL; wheel <= DETENT_WHEEL_HASHED; ++wheel) {
    for (int wait = DETENT_WAIT_BUSY; wait <= DETENT_WAIT_SLEEP; ++wait) {
      detent_options_init(&options);
      options.wheel = wheel;
      options.wait = wait;
      options.tick_ns = 1000;
      fires_with(&options);
    }
  }
  detent_options_init(&options);
  options.pool_threads = 2;
  options.pool_queue_capacity = 4;
  options.on_refusal = DETENT_REFUSED_RETRY;
  options.name = "pooled";
  fires_with(&options);
}

// Keeps the pool's only thread busy. Of the runs that come in that time, its queue holds as many as were asked for.
static void hold(void* context) { EVENTUALLY(atomic_load((atomic_int*)context) == 1); }

static void a_pool_refuses(void) {
  detent_options options;
  detent_options_init(&options);
  options.drive = DETENT_DRIVE_CALLER;
  options.pool_threads = 1;
  options.pool_queue_capacity = 2;
  options.on_refusal = DETENT_REFUSED_DROP;
  detent_engine* engine = make(&options);
  atomic_int release = 0, runs = 0;
  detent_metrics seen;
  CHECK(detent_schedule_after(engine, 0, hold, &release) != 0);
  do {
    CHECK(detent_poll(engine, SIZE_MAX) != DETENT_FAILED && detent_read_metrics(engine, &seen) == 0);
  } while (seen.fired == 0);
  for (int i = 0; i < 5; ++i) CHECK(detent_schedule_after(engine, 0, count, &runs) != 0);
  CHECK(detent_schedule_after(engine, HOURS, count, &runs) != 0);
  CHECK(detent_poll(engine, SIZE_MAX) != DETENT_FAILED && detent_read_metrics(engine, &seen) == 0);
  CHECK(seen.refused == 3 && seen.dropped == 3 && seen.pending == 3 && seen.fired == 1);
  CHECK(seen.drained == 7 && seen.drains == 2 && seen.backlog == 0 && seen.boxed == 0);
  atomic_store(&release, 1);
  EVENTUALLY(atomic_load(&runs) == 2);
  detent_engine_destroy(engine);
}

struct slow {
  atomic_int started, ended;
};

static void end_slowly(void* context) {
  struct slow* mine = context;
  atomic_store(&mine->started, 1);
  sleep_ns(20 * MILLISECONDS);
  atomic_store(&mine->ended, 1);
}

static void a_cancel_that_waits(void) {
  detent_engine* engine = make(NULL);
  struct slow mine = {0, 0};
  detent_timer timer = detent_schedule_after(engine, 0, end_slowly, &mine);
  EVENTUALLY(atomic_load(&mine.started) == 1);
  detent_cancel_and_wait(engine, timer);
  CHECK(atomic_load(&mine.ended) == 1);
  detent_engine_destroy(engine);
}

struct last_wish {
  detent_engine* engine;
  atomic_int scheduled, done;
};

static void destroy(void* context) {
  struct last_wish* mine = context;
  EVENTUALLY(atomic_load(&mine->scheduled) == 1);  // no call of the engine may be under way
  detent_engine_destroy(mine->engine);
  atomic_store(&mine->done, 1);
}

static void destroyed_by_its_own_callback(void) {
  struct last_wish mine = {.engine = make(NULL)};
  CHECK(detent_schedule_after(mine.engine, 1000, destroy, &mine) != 0);
  atomic_store(&mine.scheduled, 1);
  EVENTUALLY(atomic_load(&mine.done) == 1);
}

int main(void) {
  stale_ids_reach_nobody();
  a_callback_knows_its_run();
  a_callers_loop();
  every_kind();
  a_pool_refuses();
  a_cancel_that_waits();
  destroyed_by_its_own_callback();
  puts("engines in C: ok");
}
