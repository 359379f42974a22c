// SPDX-License-Identifier: MIT
// Lets a test act at each operation through which threads of the engine meet. With detent_hooked in place of detent,
// all operations of base/atomic.hpp (each load, store, exchange, fence, futex call and pause) call a hook first.
// Operations that the engine leaves to others call none: those of the submission queue, its few mutexes and
// std::stop_token.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace hooks {

enum class operation : std::uint8_t {
  load,
  store,
  exchange,
  fence,
  light_fence,
  heavy_fence,
  futex_wait,
  futex_wake,
  pause
};
const char* name(operation what) noexcept;

// --- Yield points: the interleavings that a busy machine would come to in days. ---

// From now on each thread, those of the engine included, lets others run before one in `every` of its operations on
// average: by a yield, a short spin or a sleep of some microseconds. Each thread has a generator of its own, seeded by
// `seed` and by the number of the thread in the order of their first operations. Print the seed.
void yield_at_random(std::uint64_t seed, std::uint32_t every = 16) noexcept;

// --- Counting: of the calling thread. ---

std::uint64_t operations() noexcept;
// It may perform `count` more: the one after them prints `what` and its own place, and ends the process with
// over_budget.
void allow(std::uint64_t count, const char* what) noexcept;
void allow_any() noexcept;
inline constexpr int over_budget = 3;

// --- Suspension. ---

// Which operations count: those of one kind, or of the files whose name contains `file`, or of all but some files.
struct among {
  const char* file = "";
  std::optional<operation> what = {};
  const char* but_not = nullptr;
  const char* nor = nullptr;
};
// The calling thread stops for ever before its operation number `n` from now, counted from 0. A callback that calls
// this suspends the worker, or a thread of the executor, in what it does after the callback. Its memory is in use for
// ever: do this in a child process that ends by _exit().
void park_at(std::uint64_t n, among which = {}) noexcept;
// The calling thread does not stop after all, if it has not stopped yet.
void park_never() noexcept;

// The place of an operation in the engine's sources. clang 14 has no std::source_location with this standard library.
struct site {
  const char* file;
  int line;
  const char* function;

  static constexpr site current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                const char* function = __builtin_FUNCTION()) noexcept {
    return {file, line, function};
  }
  constexpr bool is_in(std::string_view name_of_a_file) const noexcept {
    return std::string_view(file).ends_with(name_of_a_file);
  }
};

struct parked_place {
  operation what;
  site where;
};
// Returns where a thread has stopped, or null if none has.
const parked_place* parked() noexcept;

// --- Watching. ---

// The watcher is called before each operation of the calling thread, except the watcher's own; null ends that. It must
// outlive its use.
using watcher = std::function<void(operation, const site&)>;
void watch(const watcher* each) noexcept;

// --- Holding: one thread stays in the middle of a call until another has made its own. ---

// From here on no thread is held. To be called before the next one that will be held starts.
void begin_holding() noexcept;
// The calling thread waits before its operation number `n` from now, counted as by park_at(), until let_go_on(). What
// it meets then is published by no memory order of the hooks, so that the thread sanitizer sees what the engine's own
// do.
void hold_at(std::uint64_t n, among which = {}) noexcept;
// From here on the calling thread is not held any more.
void hold_never() noexcept;
// To be called by another thread. Waits until that one is held, and returns where. Returns none if it comes to its
// hold_never() first.
std::optional<parked_place> wait_held() noexcept;
bool is_holding() noexcept;
void let_go_on() noexcept;
// The calling thread's further calls may wait for the one that is held: lets it go on before a futex wait, or before
// the operation after `count` more, whichever comes first.
void let_go_on_after(std::uint64_t count) noexcept;
void let_go_on_never() noexcept;

// --- In place of the kernel: for tests in which time is their own. ---

// Makes threads wait at a futex, and wakes them there. wait() returns the number of a futex_result. It must outlive its
// use.
class futexes {
 public:
  virtual std::uint8_t wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept = 0;
  virtual void wake(void* word, int waiters) noexcept = 0;

 protected:
  ~futexes() = default;
};
// From now on all threads wait and wake by these, or by the kernel if it is null. To be called while no other thread is
// inside the engine.
void wait_by(futexes* others) noexcept;

// --- For atomic.hpp. ---

void before(operation what, const site& where) noexcept;
std::uint8_t wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept;
void wake(void* word, int waiters) noexcept;

}  // namespace hooks
