// SPDX-License-Identifier: MIT
// One number a thread: the operation at which the next thing happens, whichever it is. Before that an operation costs a
// count and a check whether the plan has changed.
#include <search/meetings/hooks.hpp>
#include <search/meetings/real.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

namespace hooks {
namespace {

constexpr std::uint64_t never = UINT64_MAX;
constexpr std::uint32_t most_spins = 512;
constexpr std::uint32_t longest_sleep_ns = 20'000;

// Trivial, so that a thread at its very end has it still.
struct thread_plan {
  std::uint64_t done = 0;  // operations
  std::uint64_t next = 0;  // the operation at which something happens
  std::uint64_t yield = never;
  std::uint64_t park = never;  // the first operation that may be it
  std::uint64_t to_skip = 0;   // of those that count
  among counting = {};
  std::uint64_t hold = never;       // as park
  std::uint64_t let_go_on = never;  // so many it may make while another is held
  std::uint64_t budget = never;
  const char* budget_of = nullptr;
  const watcher* watched_by = nullptr;
  bool tells = false;        // its watcher, which is not called for what it does itself
  std::uint64_t number = 0;  // of this thread; 0: none yet
  std::uint64_t random = 0;
  std::uint32_t every = 0;
  std::uint32_t version = 0;  // of what all threads are set to

  // Where all are watched, or another may be held, each of them may be the one.
  void find_next() noexcept {
    next = watched_by != nullptr || let_go_on != never ? 0 : std::min({yield, park, hold, budget});
  }
};
constinit thread_local thread_plan mine;

// The settings of all threads. A thread notices a change by its version, soon enough if not at once; only `seed` and
// `every` have to be of one version or a later one, which the acquire and the release see to.
std::atomic<std::uint32_t> version{0};
std::atomic<std::uint64_t> told_seed{0};
std::atomic<std::uint32_t> told_every{0};
std::atomic<std::uint64_t> threads{0};
std::atomic<const parked_place*> parked_at{nullptr};
std::atomic<futexes*> in_place_of_the_kernel{nullptr};

// The one that is held. Relaxed throughout: hooks.hpp says why.
enum held_state : std::uint32_t { runs, is_held, goes_on, is_past };
std::atomic<std::uint32_t> held{runs};
std::atomic<operation> held_what{};
std::atomic<const char*> held_file{}, held_function{};
std::atomic<int> held_line{0};

// splitmix64
std::uint64_t draw(std::uint64_t& state) noexcept {
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return mixed ^ mixed >> 31;
}

void plan_yield() noexcept {
  mine.yield = mine.every == 0 ? never : mine.done + draw(mine.random) % (2 * std::uint64_t{mine.every});
  mine.find_next();
}

void learn(std::uint32_t newest) noexcept {
  mine.version = newest;
  if (mine.number == 0) mine.number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  mine.every = told_every.load(std::memory_order_relaxed);
  mine.random = told_seed.load(std::memory_order_relaxed) + (mine.number << 32);
  plan_yield();
}

void let_others_run() noexcept {
  const std::uint64_t drawn = draw(mine.random);
  const std::uint64_t amount = drawn >> 8;
  switch (drawn % 8) {
    case 0: {
      timespec length{0, static_cast<long>(amount % longest_sleep_ns)};
      nanosleep(&length, nullptr);
      return;
    }
    case 1:
    case 2:
    case 3: sched_yield(); return;
    default:
      for (std::uint64_t i = amount % most_spins; i != 0; --i) real::cpu_pause();
  }
}

[[noreturn]] void stop_for_ever(operation what, const site& where) noexcept {
  auto* place = new (std::nothrow) parked_place{what, where};
  parked_at.store(place, std::memory_order_release);
  for (;;) pause();
}

void tell_held(held_state state) noexcept {
  held.store(state, std::memory_order_relaxed);
  real::futex_wake(&held, INT_MAX);
}

void wait_while(held_state state) noexcept {
  while (held.load(std::memory_order_relaxed) == state) real::futex_wait(&held, state, INT64_MAX);
}

void stop_for_a_while(operation what, const site& where) noexcept {
  held_what.store(what, std::memory_order_relaxed);
  held_file.store(where.file, std::memory_order_relaxed);
  held_function.store(where.function, std::memory_order_relaxed);
  held_line.store(where.line, std::memory_order_relaxed);
  tell_held(is_held);
  wait_while(is_held);
}

void count_among(std::uint64_t& which, std::uint64_t n, among counted) noexcept {
  const bool all = *counted.file == 0 && !counted.what && counted.but_not == nullptr;
  which = all ? mine.done + n : mine.done;
  mine.to_skip = all ? 0 : n;
  mine.counting = counted;
  mine.find_next();
}

bool is_the_last(operation what, const site& where) noexcept {
  if (mine.counting.what && *mine.counting.what != what) return false;
  if (std::strstr(where.file, mine.counting.file) == nullptr) return false;
  for (const char* other : {mine.counting.but_not, mine.counting.nor})
    if (other != nullptr && std::strstr(where.file, other) != nullptr) return false;
  return mine.to_skip-- == 0;
}

void tell_watcher(operation what, const site& where) noexcept {
  if (mine.watched_by == nullptr || mine.tells) return;
  mine.tells = true;
  (*mine.watched_by)(what, where);
  mine.tells = false;
}

[[noreturn]] void run_over(operation what, const site& where) noexcept {
  std::fprintf(stderr, "hooks: %s: too many operations; the last one a %s at %s:%d, %s\n", mine.budget_of, name(what),
               where.file, where.line, where.function);
  std::fflush(stderr);
  _exit(over_budget);
}

}  // namespace

const char* name(operation what) noexcept {
  switch (what) {
    case operation::load: return "load";
    case operation::store: return "store";
    case operation::exchange: return "exchange";
    case operation::fence: return "fence";
    case operation::light_fence: return "light fence";
    case operation::heavy_fence: return "heavy fence";
    case operation::futex_wait: return "futex wait";
    case operation::futex_wake: return "futex wake";
    case operation::pause: return "pause";
  }
  return "";
}

void before(operation what, const site& where) noexcept {
  const std::uint32_t newest = version.load(std::memory_order_acquire);
  if (newest != mine.version) [[unlikely]]
    learn(newest);
  const std::uint64_t number = mine.done++;
  if (number < mine.next) [[likely]]
    return;
  tell_watcher(what, where);
  if (number >= mine.park && is_the_last(what, where)) stop_for_ever(what, where);
  if (number >= mine.hold && is_the_last(what, where)) {
    mine.hold = never;
    stop_for_a_while(what, where);
  }
  if (number >= mine.let_go_on || (mine.let_go_on != never && what == operation::futex_wait)) let_go_on();
  if (number >= mine.budget) run_over(what, where);
  if (number >= mine.yield) {
    let_others_run();
    plan_yield();
  }
  mine.find_next();
}

void wait_by(futexes* others) noexcept { in_place_of_the_kernel.store(others, std::memory_order_release); }

std::uint8_t wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  futexes* const others = in_place_of_the_kernel.load(std::memory_order_acquire);
  return others != nullptr ? others->wait(word, expected, deadline_ns) : real::futex_wait(word, expected, deadline_ns);
}

void wake(void* word, int waiters) noexcept {
  futexes* const others = in_place_of_the_kernel.load(std::memory_order_acquire);
  if (others != nullptr) return others->wake(word, waiters);
  real::futex_wake(word, waiters);
}

void yield_at_random(std::uint64_t seed, std::uint32_t every) noexcept {
  told_seed.store(seed, std::memory_order_relaxed);
  told_every.store(every, std::memory_order_relaxed);
  version.fetch_add(1, std::memory_order_release);
}

std::uint64_t operations() noexcept { return mine.done; }

void allow(std::uint64_t count, const char* what) noexcept {
  mine.budget = mine.done + count;
  mine.budget_of = what;
  mine.find_next();
}

void allow_any() noexcept {
  mine.budget = never;
  mine.find_next();
}

void park_at(std::uint64_t n, among which) noexcept { count_among(mine.park, n, which); }

void park_never() noexcept {
  mine.park = never;
  mine.find_next();
}

void watch(const watcher* each) noexcept {
  mine.watched_by = each;
  mine.find_next();
}

const parked_place* parked() noexcept { return parked_at.load(std::memory_order_acquire); }

void begin_holding() noexcept { held.store(runs, std::memory_order_relaxed); }

void hold_at(std::uint64_t n, among which) noexcept { count_among(mine.hold, n, which); }

void hold_never() noexcept {
  mine.hold = never;
  mine.find_next();
  tell_held(is_past);
}

std::optional<parked_place> wait_held() noexcept {
  wait_while(runs);
  if (held.load(std::memory_order_relaxed) != is_held) return std::nullopt;
  auto read = [](const auto& from) { return from.load(std::memory_order_relaxed); };
  return parked_place{read(held_what), {read(held_file), read(held_line), read(held_function)}};
}

bool is_holding() noexcept { return held.load(std::memory_order_relaxed) == is_held; }

void let_go_on() noexcept {
  std::uint32_t expected = is_held;
  if (held.compare_exchange_strong(expected, goes_on, std::memory_order_relaxed)) real::futex_wake(&held, INT_MAX);
}

void let_go_on_after(std::uint64_t count) noexcept {
  mine.let_go_on = mine.done + count;
  mine.find_next();
}

void let_go_on_never() noexcept {
  mine.let_go_on = never;
  mine.find_next();
}

}  // namespace hooks
