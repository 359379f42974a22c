// SPDX-License-Identifier: MIT
// A correct program in C, of which ThreadSanitizer sees all but the library.
#include <detent/detent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum { ROUNDS = 200 };

struct order {
  detent_engine* engine;
  detent_timer timer;
  int quantity, filled;
  atomic_int ran;  // relaxed: orders nothing
};

static void fill(void* context) {
  struct order* order = context;
  order->filled += order->quantity;
  atomic_fetch_add_explicit(&order->ran, 1, memory_order_relaxed);
}

static void await_runs(struct order* order, int least) {
  while (atomic_load_explicit(&order->ran, memory_order_relaxed) < least) {
  }
}

static void schedule_run_and_wait(detent_engine* engine) {
  for (int i = 0; i < ROUNDS; ++i) {
    struct order* order = calloc(1, sizeof *order);
    order->quantity = i;
    order->timer = detent_schedule_after(engine, i % 2 == 0 ? 0 : 20000, fill, order);
    EXPECT(order->timer != 0);
    if (i % 3 == 0) await_runs(order, 1);
    detent_cancel_and_wait(engine, order->timer);
    EXPECT(order->filled == 0 || order->filled == i);
    free(order);
  }
}

static void* restart(void* context) {
  struct order* order = context;
  order->quantity = 5;
  EXPECT(detent_restart_after(order->engine, order->timer, 0) == 1);
  return NULL;
}

static void restart_on_another_thread(detent_engine* engine) {
  for (int i = 0; i < ROUNDS; ++i) {
    struct order order = {.engine = engine};
    order.timer = detent_schedule_after(engine, 3600000000000, fill, &order);
    pthread_t other;
    EXPECT(pthread_create(&other, NULL, restart, &order) == 0);
    await_runs(&order, 1);
    detent_cancel_and_wait(engine, order.timer);
    EXPECT(order.filled == 5);
    EXPECT(pthread_join(other, NULL) == 0);
  }
}

static void periods(detent_engine* engine) {
  struct order order = {.quantity = 1};
  order.timer = detent_schedule_at_fixed_rate(engine, 0, 20000, fill, &order);
  await_runs(&order, ROUNDS);
  detent_cancel_and_wait(engine, order.timer);
  EXPECT(order.filled >= ROUNDS);
}

static void give_back(void* argument, detent_timer timer, int64_t deadline_ns, detent_callback callback,
                      void* context) {
  (void)timer, (void)deadline_ns;
  ++*(int*)argument;
  callback(context);
}

int main(void) {
  for (size_t threads = 0; threads <= 2; threads += 2) {
    detent_options options;
    detent_options_init(&options);
    options.pool_threads = threads;
    detent_engine* engine = detent_engine_create(&options, NULL, 0);
    EXPECT(engine != NULL);
    schedule_run_and_wait(engine);
    restart_on_another_thread(engine);
    periods(engine);
    struct order order = {.quantity = 1}, never = {.quantity = 2};
    detent_schedule_after(engine, 0, fill, &order);
    detent_schedule_after(engine, 3600000000000, fill, &never);
    await_runs(&order, 1);
    int given_back = 0;
    EXPECT(detent_stop(engine, give_back, &given_back) == 0);
    EXPECT(given_back == 1 && order.filled == 1 && never.filled == 2);
    detent_engine_destroy(engine);
  }
  return 0;
}
