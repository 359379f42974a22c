// SPDX-License-Identifier: MIT
// The part of scheduling that must know the callable's type; everything else is compiled into the library.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/detail/callable.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/error.hpp>
#include <detent/options.hpp>
#include <detent/origin.hpp>

#include <cstring>

namespace detent::detail {

class engine_core;
class group_state;
struct node;
struct thread_record;

enum class period_kind : std::uint8_t { none, fixed_rate, fixed_delay };

// When a timer fires: once, or again and again.
struct plan {
  nanoseconds_t deadline = 0;
  nanoseconds_t period = 0;
  period_kind kind = period_kind::none;
  const timer_options* one_shot = nullptr;     // null: all defaults
  const periodic_options* periodic = nullptr;  // set if kind is not none
  group_state* group = nullptr;
  const executor* group_executor = nullptr;
  origin where = origin::unknown();
};

// A callable that may be copied bit by bit, as the words it consists of: they travel in registers.
struct packed_callable {
  std::uint64_t words[capture_size / sizeof(std::uint64_t)] = {};
};
template <class F>
inline constexpr bool packs =
    fits_inline<F>&& std::is_trivially_copyable_v<F>&& std::is_trivially_move_constructible_v<F>;

// A node that this thread owns until it publishes or abandons it.
struct claim {
  node* owned = nullptr;  // null: refused, and `problem` says why
  thread_record* record = nullptr;
  void* capture = nullptr;
  std::uint32_t index = 0;
  errc problem{};
};

claim claim_node(engine_core& core, const plan& when) noexcept;
void abandon(engine_core& core, const claim& owned) noexcept;
// Gives the timer to the engine. Refused if the engine has been stopped since; the callable is destroyed then.
timer publish(engine_core& core, const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept;
// Does all of it in one call, for a one-shot without options. Returns a handle or a refusal; the refusal is
// `needs_origin` if the engine wants to know something that does not travel in registers. A null `core` stands for an
// engine that has been moved from, and ends the process.
inline constexpr errc needs_origin{};
timer schedule_packed(engine_core* core, nanoseconds_t deadline, const callable_ops& ops, std::uint64_t first,
                      std::uint64_t second, std::uint64_t third) noexcept;
// Does so for a callable of one word that must be destroyed; `ops` knows it by that word alone.
timer schedule_packed_owning(engine_core* core, nanoseconds_t deadline, const callable_ops& ops,
                             std::uint64_t first) noexcept;
// The time on the engine's clock that much later. A null `core` is handled as by schedule_packed().
nanoseconds_t deadline_after(const engine_core* core, nanoseconds_t delay) noexcept;
// Returns the handle of a call that is refused, and keeps for the thread what failure::message() says about it.
timer refused(const engine_core& core, const plan& when, errc problem) noexcept;
// Makes a plan whose first deadline is `initial` from now, or returns errc::invalid_period.
errc plan_periodic(const engine_core& core, duration initial, duration period, period_kind kind, plan& made) noexcept;
// Prints one line on stderr that names a call of an object that has been moved from, and aborts.
[[noreturn]] void used_after_move(const char* object, const char* call) noexcept;
// Throws the reason with its cure; for an impossible option, with its name and value.
[[noreturn]] void throw_schedule_error(const engine_core& core, errc problem);
[[noreturn]] void throw_schedule_error(const engine_core& core, errc problem, const timer_options& options);
[[noreturn]] void throw_schedule_error(const engine_core& core, errc problem, const periodic_options& options,
                                       duration period);

template <class F, class Callable>
bool construct(engine_core& core, const claim& owned, Callable&& f) {
  static_cast<void>(core);
#ifdef __cpp_exceptions
  try {
#endif
    if constexpr (fits_inline<F>) {
      ::new (owned.capture) F(std::forward<Callable>(f));
    } else {
      F* box = new (std::nothrow) F(std::forward<Callable>(f));
      if (box == nullptr) return false;
      ::new (owned.capture) F*(box);
    }
#ifdef __cpp_exceptions
  } catch (...) {
    abandon(core, owned);
    throw;
  }
#endif
  return true;
}

// Returns a handle or a refusal. Throws only what copying or moving the callable throws.
template <class Callable>
timer schedule(engine_core& core, const plan& when, Callable&& f) {
  using F = std::decay_t<Callable>;
  static_assert(timer_callback<F>, "a callback is called as f() or as f(firing&)");
  claim owned = claim_node(core, when);
  if (owned.owned == nullptr) return refused(core, when, owned.problem);
  if (!construct<F>(core, owned, std::forward<Callable>(f))) {
    abandon(core, owned);
    return refused(core, when, errc::out_of_memory);
  }
  if constexpr (fits_inline<F>) {
    return publish(core, owned, inline_callable<F>::ops, when, false);
  } else {
    return publish(core, owned, boxed_callable<F>::ops, when, true);
  }
}

// A one-shot without options, as nearly all are: the fast path. It is inlined, so that the callable's words go straight
// to registers. `core` is null for an engine that has been moved from; the slower way finds that out.
template <class Callable>
DETENT_ALWAYS_INLINE inline timer schedule_once(engine_core* core, nanoseconds_t deadline, Callable&& f,
                                                const origin& where = origin::unknown()) {
  using F = std::decay_t<Callable>;
  if constexpr (timer_callback<F> && packs<F>) {
    static_assert(std::is_constructible_v<F, Callable>);
    packed_callable packed;
    const F& callable = f;
    if constexpr (!std::is_empty_v<F>) std::memcpy(packed.words, std::addressof(callable), sizeof(F));
    timer made =
        schedule_packed(core, deadline, inline_callable<F>::ops, packed.words[0], packed.words[1], packed.words[2]);
    if (made || timer_access::problem(made) != needs_origin) [[likely]]
      return made;
  }
  if (core == nullptr) [[unlikely]]
    used_after_move("engine", "schedule_at");
  return schedule(*core, {.deadline = deadline, .where = where}, std::forward<Callable>(f));
}

template <class Callable>
timer schedule_once(engine_core& core, nanoseconds_t deadline, Callable&& f, const timer_options& options,
                    const origin& where = origin::unknown()) {
  return schedule(core, {.deadline = deadline, .one_shot = &options, .where = where}, std::forward<Callable>(f));
}

}  // namespace detent::detail
