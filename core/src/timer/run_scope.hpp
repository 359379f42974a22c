// SPDX-License-Identifier: MIT
// The callbacks that the calling thread is inside of.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/firing.hpp>

#include <cstdint>

namespace detent::detail {

// One running callback. They nest if a callback runs another engine's poll().
class run_scope {
 public:
  // `self` is empty for a timer that its engine has given back.
  explicit run_scope(const timer& self) noexcept : run_scope(self, 0, 0, 0, false) {}
  run_scope(const timer& self, nanoseconds_t deadline, nanoseconds_t started, std::uint64_t missed, bool stale) noexcept
      : outer_(innermost), view_(self, to_time(deadline), to_time(started), missed, stale) {
    innermost = this;
  }
  ~run_scope() { innermost = outer_; }
  run_scope(const run_scope&) = delete;
  run_scope& operator=(const run_scope&) = delete;

  // The run as its callback sees it.
  firing& view() noexcept { return view_; }
  bool rearmed() const noexcept { return view_.rearmed_; }
  nanoseconds_t rearm_deadline() const noexcept { return to_ns(view_.rearm_deadline_); }

  // Returns whether the calling thread is inside a callback of `core`.
  static bool inside(const engine_core& core) noexcept {
    return any([&core](const timer& running) { return timer_access::core(running) == &core; });
  }
  // Returns whether it is inside this very timer's callback.
  static bool inside(const engine_core& core, std::uint32_t index, std::uint32_t generation) noexcept {
    return any([&](const timer& running) {
      return timer_access::core(running) == &core && timer_access::index(running) == index &&
             timer_access::generation(running) == generation;
    });
  }
  // Returns the innermost callback that the calling thread is inside of, as that callback sees it. Null if it is inside
  // none.
  static const firing* current() noexcept { return innermost == nullptr ? nullptr : &innermost->view_; }
  // Calls f(core, index) for each callback that the calling thread is inside of and whose engine has not given it back.
  template <class F>
  static void for_each(F&& f) {
    any([&f](const timer& running) {
      if (running) f(*timer_access::core(running), timer_access::index(running));
      return false;
    });
  }

 private:
  template <class F>
  static bool any(F&& f) {
    for (const run_scope* each = innermost; each != nullptr; each = each->outer_) {
      if (f(each->view_.self_)) return true;
    }
    return false;
  }

  // In the static TLS block, because each run reads it.
  DETENT_INITIAL_EXEC static constinit thread_local run_scope* innermost;

  run_scope* outer_;
  firing view_;
};

}  // namespace detent::detail
