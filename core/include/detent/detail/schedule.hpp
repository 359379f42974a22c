// SPDX-License-Identifier: MIT
// The part of scheduling that must know the callable's type; everything else is compiled into the library.
#pragma once

#include <detent/detail/callable.hpp>
#include <detent/error.hpp>
#include <detent/options.hpp>

namespace detent::detail {

class engine_core;
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
};

// A node that this thread owns until it publishes or abandons it.
struct claim {
  node* owned = nullptr;  // null: refused, and `problem` says why
  thread_record* record = nullptr;
  void* capture = nullptr;
  std::uint32_t index = 0;
  errc problem{};
};

claim claim_node(engine_core& core) noexcept;
void abandon(engine_core& core, const claim& owned) noexcept;
// Gives the timer to the engine. An empty handle: the engine was stopped meanwhile; the callable is destroyed.
timer publish(engine_core& core, const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept;
// The time from which a delay counts, on the engine's clock.
nanoseconds_t deadline_after(const engine_core& core, nanoseconds_t delay) noexcept;
// A plan of the first deadline `initial` from now; or errc::invalid_period.
errc plan_periodic(const engine_core& core, duration initial, duration period, period_kind kind, plan& made) noexcept;
[[noreturn]] void throw_schedule_error(const engine_core& core, errc problem, nanoseconds_t period);

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

// Schedules or says why not; throws only what copying or moving the callable throws.
template <class Callable>
timer schedule(engine_core& core, const plan& when, Callable&& f, errc& problem) {
  using F = std::decay_t<Callable>;
  static_assert(timer_callback<F>, "a callback is called as f() or as f(firing&)");
  claim owned = claim_node(core);
  if (owned.owned == nullptr) {
    problem = owned.problem;
    return {};
  }
  if (!construct<F>(core, owned, std::forward<Callable>(f))) {
    abandon(core, owned);
    problem = errc::out_of_memory;
    return {};
  }
  constexpr bool boxed = !fits_inline<F>;
  const callable_ops& ops = [&]() -> const callable_ops& {
    if constexpr (boxed)
      return boxed_callable<F>::ops;
    else
      return inline_callable<F>::ops;
  }();
  timer made = publish(core, owned, ops, when, boxed);
  if (!made) problem = errc::stopped;
  return made;
}

}  // namespace detent::detail
