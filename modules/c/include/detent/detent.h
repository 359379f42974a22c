// SPDX-License-Identifier: MIT
// detent for C11, and for every language that can call C. docs/c.md says what the calls mean.
#ifndef DETENT_DETENT_H
#define DETENT_DETENT_H

#include <detent/base/c_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Any thread may call anything at any time, except detent_poll, detent_next_deadline and detent_wake_fd (one thread at
// a time), and detent_engine_destroy. No C++ exception leaves a call. A null pointer where one is needed is an error
// like others: DETENT_ERROR_INVALID_OPTION, and the call has no effect.
typedef struct detent_engine detent_engine;
// One timer of one engine; 0: none. A stale one reaches no timer, and never a newer one.
typedef uint64_t detent_timer;
typedef void (*detent_callback)(void* context);

// --- Failure ---

enum {
  DETENT_ERROR_NONE = 0,
  DETENT_ERROR_CAPACITY_EXCEEDED = 1,
  DETENT_ERROR_STOPPED = 2,
  DETENT_ERROR_INVALID_OPTION = 3,
  DETENT_ERROR_INVALID_PERIOD = 4,
  DETENT_ERROR_CALLED_FROM_CALLBACK = 5,
  DETENT_ERROR_WRONG_DRIVE = 6,
  DETENT_ERROR_FORKED = 7,
  DETENT_ERROR_NOT_PERMITTED = 8,
  DETENT_ERROR_OUT_OF_MEMORY = 9,
  DETENT_ERROR_OTHER = 10,          // a C++ exception of another kind
  DETENT_ERROR_LIMIT_REACHED = 11,  // descriptors, threads or space
  DETENT_ERROR_DROPPED = 12         // a timer ended without its run; no call of this header returns it
};

// The code of the last call of this thread that failed, whether a call of this header or a try_ form of C++; later
// successes leave it alone. `text` may be null. It is set to the line of the C++ exception, with the option, its value
// and the cure, which holds until the thread's next failure.
DETENT_C_API int detent_last_error(const char** text);

// --- Options ---

enum { DETENT_WHEEL_HIERARCHICAL = 0, DETENT_WHEEL_HASHED = 1 };
enum { DETENT_WAIT_BUSY = 0, DETENT_WAIT_HYBRID = 1, DETENT_WAIT_SLEEP = 2 };
enum { DETENT_DRIVE_WORKER = 0, DETENT_DRIVE_CALLER = 1 };
// Automatic, the default: the TSC if it is invariant and the kernel's own clock source, else the steady clock.
enum { DETENT_CLOCK_STEADY = 0, DETENT_CLOCK_TSC = 1, DETENT_CLOCK_AUTOMATIC = 2 };
enum { DETENT_REFUSED_RUN_INLINE = 0, DETENT_REFUSED_RETRY = 1, DETENT_REFUSED_DROP = 2 };
enum { DETENT_MEMORY_MMAP = 0, DETENT_MEMORY_JEMALLOC = 1 };
enum { DETENT_PREFERENCE_OFF = 0, DETENT_PREFERENCE_ATTEMPT = 1, DETENT_PREFERENCE_REQUIRE = 2 };

// As in <detent/options.hpp>, which says more. Each comment ends with the value that detent_options_init() sets.
typedef struct detent_options {
  // The size of this struct, in bytes. Default: sizeof(detent_options).
  size_t size;
  // Deadlines are rounded up to a multiple of it, in nanoseconds; at least 1. Default: 1, which is exact.
  int64_t tick_ns;
  // DETENT_WHEEL_: where pending timers lie. Default: DETENT_WHEEL_HIERARCHICAL.
  int wheel;
  // DETENT_WAIT_: how the worker waits. Default: DETENT_WAIT_HYBRID.
  int wait;
  // The slots of the hashed wheel: 1 to 2^24, rounded up to a power of two. Default: 512.
  size_t hashed_slots;
  // The longest stretch that DETENT_WAIT_HYBRID spins, in nanoseconds; at least 0. Default: 200,000.
  int64_t max_spin_ns;
  // DETENT_DRIVE_: who turns the wheel. With the caller, you call detent_poll(). Default: DETENT_DRIVE_WORKER.
  int drive;
  // DETENT_CLOCK_: the clock. Default: DETENT_CLOCK_AUTOMATIC.
  int clock;
  // The worker's CPU, from 0; -1: any. Default: -1.
  int cpu;
  // The worker's SCHED_FIFO priority, 1 to 99; 0: an ordinary thread. Default: 0.
  int realtime_priority;
  // Most timers pending at once; 0: no limit. Default: 0.
  size_t max_pending;
  // Nodes allocated ahead, 64 bytes each; at most 4,294,901,760. Default: 65,536.
  size_t reserve;
  // DETENT_MEMORY_: where nodes come from. Default: DETENT_MEMORY_MMAP.
  int memory_source;
  // DETENT_PREFERENCE_: transparent pages of 2 MiB. Default: DETENT_PREFERENCE_ATTEMPT.
  int huge_pages;
  // DETENT_PREFERENCE_: pages are touched when they are mapped. Default: DETENT_PREFERENCE_OFF.
  int prefault;
  // DETENT_PREFERENCE_: pages are kept in memory, by mlock. Default: DETENT_PREFERENCE_OFF.
  int lock_memory;
  // The node that the memory is bound to, from 0; -1: any. Default: -1.
  int numa_node;
  // DETENT_REFUSED_: how a callback is handled when the pool's queue is full. Default: DETENT_REFUSED_RUN_INLINE.
  int on_refusal;
  // Callbacks run on that many threads; 0: on the worker, or inside detent_poll(). Default: 0.
  size_t pool_threads;
  // How many callbacks may wait for the pool's threads, at least 1. Default: 65,536.
  size_t pool_queue_capacity;
  // The name of the engine and its worker, copied; null: "detent". Default: null.
  const char* name;
  // The longest exit of an idle state near deadlines, in nanoseconds, at most 1 s; 0: any; 1: polling only. Default: 0.
  int64_t cpu_latency_limit_ns;
  // Not 0: the spin waits by the processor's own means. Default: 0.
  int64_t light_spin;
  // Not 0: the pool's threads keep the callbacks of one tag apart, and in the order of their deadlines. Default: 0.
  int64_t pool_keyed;
  // Must be 0. Default: 0.
  uint64_t reserved[5];
} detent_options;

// Sets every option to its default.
DETENT_C_API void detent_options_init(detent_options* options);

// --- Engine ---

// Returns null on failure. `error` (which may be null) then has the reason, cut to `error_size` and ended by a NUL.
// Null options stand for all defaults.
DETENT_C_API detent_engine* detent_engine_create(const detent_options* options, char* error, size_t error_size);
// Stops the engine; what was pending is not run. Any thread, the engine's own callbacks included; null does nothing. No
// call and no timer of this engine may be used after it.
DETENT_C_API void detent_engine_destroy(detent_engine* engine);

// Receives what a timer was scheduled with, so that its context can be freed, or its callback run after all.
typedef void (*detent_unfired)(void* argument, detent_timer timer, int64_t deadline_ns, detent_callback callback,
                               void* context);
// Ends the engine's work, and waits for running callbacks. Then calls `each` (which may be null) on this thread for
// every timer that had not ended. Returns 0, or -1 on failure, for example in a callback. A later or concurrent call
// gets no timers.
DETENT_C_API int detent_stop(detent_engine* engine, detent_unfired each, void* argument);
DETENT_C_API int detent_is_stopped(const detent_engine* engine);
DETENT_C_API size_t detent_pending(const detent_engine* engine);
// The worker's thread, as the kernel numbers it (gettid). 0: a caller drives, or the engine has been stopped.
DETENT_C_API int32_t detent_worker_thread_id(const detent_engine* engine);
// Returns the clock that runs, DETENT_CLOCK_STEADY or DETENT_CLOCK_TSC, or -1 if there is no memory for the answer.
// `reason` may be null. It is set to one line that says why DETENT_CLOCK_AUTOMATIC is the steady clock here, or to "".
// It is never freed.
DETENT_C_API int detent_clock(const detent_engine* engine, const char** reason);

// --- Timers: nanoseconds, CLOCK_MONOTONIC ---

DETENT_C_API int64_t detent_now(void);

// Returns 0 if the timer was not scheduled; detent_last_error() has the reason.
DETENT_C_API detent_timer detent_schedule_at(detent_engine* engine, int64_t deadline_ns, detent_callback callback,
                                             void* context);
DETENT_C_API detent_timer detent_schedule_after(detent_engine* engine, int64_t delay_ns, detent_callback callback,
                                                void* context);
DETENT_C_API detent_timer detent_schedule_at_fixed_rate(detent_engine* engine, int64_t initial_ns, int64_t period_ns,
                                                        detent_callback callback, void* context);
DETENT_C_API detent_timer detent_schedule_with_fixed_delay(detent_engine* engine, int64_t initial_ns, int64_t delay_ns,
                                                           detent_callback callback, void* context);
// These four schedule with a tag, which in a pool with `pool_keyed` is the timer's key. The calls above use the tag 0.
DETENT_C_API detent_timer detent_schedule_at_tagged(detent_engine* engine, int64_t deadline_ns,
                                                    detent_callback callback, void* context, uint64_t tag);
DETENT_C_API detent_timer detent_schedule_after_tagged(detent_engine* engine, int64_t delay_ns,
                                                       detent_callback callback, void* context, uint64_t tag);
DETENT_C_API detent_timer detent_schedule_at_fixed_rate_tagged(detent_engine* engine, int64_t initial_ns,
                                                               int64_t period_ns, detent_callback callback,
                                                               void* context, uint64_t tag);
DETENT_C_API detent_timer detent_schedule_with_fixed_delay_tagged(detent_engine* engine, int64_t initial_ns,
                                                                  int64_t delay_ns, detent_callback callback,
                                                                  void* context, uint64_t tag);

enum {
  DETENT_CANCELLED = 0,  // the callback will never start (again)
  DETENT_RUNNING = 1,    // it is executing now, and this is its last run
  DETENT_GONE = 2        // it has fired, was cancelled, dropped or returned, or never existed
};

DETENT_C_API int detent_cancel(detent_engine* engine, detent_timer timer);
// Also waits until a running callback has ended. Inside that callback it returns at once.
DETENT_C_API int detent_cancel_and_wait(detent_engine* engine, detent_timer timer);
// 1: the timer fires at the new deadline and not at the old one. 0: it is running or has ended; no effect.
DETENT_C_API int detent_restart_at(detent_engine* engine, detent_timer timer, int64_t deadline_ns);
DETENT_C_API int detent_restart_after(detent_engine* engine, detent_timer timer, int64_t delay_ns);
DETENT_C_API int detent_is_pending(detent_engine* engine, detent_timer timer);
// 1: `deadline_ns` is set to the time when it is due, or `remaining_ns` to the time until then, below zero if it is
// overdue. 0: it is not pending, and nothing is set.
DETENT_C_API int detent_deadline(detent_engine* engine, detent_timer timer, int64_t* deadline_ns);
DETENT_C_API int detent_remaining(detent_engine* engine, detent_timer timer, int64_t* remaining_ns);

// --- The run, inside a callback ---

// The times of a run are in nanoseconds.
typedef struct detent_run {
  int64_t deadline_ns;  // of the period that the run stands for
  int64_t started_ns;   // the clock's reading just before the run
  int64_t lateness_ns;  // started_ns - deadline_ns
  uint64_t missed;      // periods that were skipped since the last run
  uint64_t tag;         // the timer was scheduled with this tag
  detent_timer timer;   // for cancelling or restarting it
  uint64_t reserved[2];
} detent_run;

// 1: the calling thread is inside a callback, and `run` is set to its run; to that of the innermost callback, if one
// drives another engine. 0: it is inside no callback, and `run` stays as it was.
DETENT_C_API int detent_read_run(detent_run* run);

// --- Engines driven by their caller ---

// Fires what is due: at most `max` callbacks that run here or go to the pool, and before them those that the pool had
// refused. Returns how many ran inside the call, or DETENT_FAILED.
DETENT_C_API size_t detent_poll(detent_engine* engine, size_t max);
#define DETENT_FAILED SIZE_MAX
// A descriptor that is readable when detent_poll() has something to do. It is closed with the engine. -1: failed.
DETENT_C_API int detent_wake_fd(detent_engine* engine);
// 1: `deadline_ns` is set to the next deadline or an earlier time; 0: nothing is pending; -1: failed.
DETENT_C_API int detent_next_deadline(detent_engine* engine, int64_t* deadline_ns);

// --- Metrics ---

// At rest: scheduled = expired + cancelled + returned + dropped + pending.
typedef struct detent_metrics {
  uint64_t scheduled, expired, cancelled, returned, dropped, pending;
  uint64_t fired, restarted, refused, failed, boxed, wakeups, drains, drained, rings, backlog, retired;
  // The lateness of callbacks: start - deadline, in nanoseconds.
  uint64_t lateness_count;
  int64_t lateness_mean, lateness_p50, lateness_p90, lateness_p99, lateness_p999, lateness_max;
  uint64_t missed;         // periods of periodic timers that no run was for
  uint64_t over_capacity;  // timers that were refused because `max_pending` were pending
  uint64_t reserved[6];
} detent_metrics;

// Returns 0, or -1 if there is no memory for the figures.
DETENT_C_API int detent_read_metrics(const detent_engine* engine, detent_metrics* metrics);

#ifdef __cplusplus
}
#endif

#endif  // DETENT_DETENT_H
