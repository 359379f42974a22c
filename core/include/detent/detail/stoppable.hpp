// SPDX-License-Identifier: MIT
// A one-shot that a stop request cancels: the callable, and the hook in the token, in one box of their own.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/stop_token.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace detent::detail {

// The hook of one timer, shared by the thread that schedules it and the engine, which may have finished the timer
// before the hook is built. The later of the two removes the hook and frees the box.
class stop_hook {
 public:
  // Called by the scheduling thread, once the timer has a handle.
  void attach(timer hooked, base::stop_token stop) {
    timer_ = hooked;
    hook_.emplace(std::move(stop), on_stop{this});
    // (1) acq_rel: pairs with itself in detach(): the second finds what the first left, be it a hook or none to come.
    if ((state_.fetch_or(attached, base::acq_rel) & detached) != 0) hook_.reset();
  }
  // Called by the engine, when the callable leaves its node for any reason. Waits for a hook that runs on another
  // thread.
  void detach() noexcept {
    if ((state_.fetch_or(detached, base::acq_rel) & (attached | detached)) == attached) hook_.reset();  // (1)
  }
  // Returns true if the box has no other owner any more. (2) acq_rel: pairs with itself.
  bool let_go() noexcept { return (state_.fetch_add(one_owner, base::acq_rel) & one_owner) != 0; }

 private:
  struct on_stop {
    stop_hook* hook;
    // Cancelling may destroy the callable, and with it this: nothing is touched afterwards. An engine that ends
    // in that time waits for no cancelled timer, so this holds a reference on it, as cancel_many() does.
    void operator()() const noexcept {
      timer mine = hook->timer_;
      cancel_many(*timer_access::core(mine), {&mine, 1});
    }
  };
  static constexpr std::uint32_t attached = 1, detached = 2, one_owner = 4;

  base::atomic<std::uint32_t> state_{0};
  timer timer_;
  std::optional<base::stop_callback<on_stop>> hook_;
};

template <class F>
struct stoppable_box {
  explicit stoppable_box(std::in_place_t, auto&& f) : callable(std::in_place, std::forward<decltype(f)>(f)) {}

  stop_hook hook;
  std::optional<F> callable;
  bool in_node = false;
};

// The callable that the engine holds: a pointer to the box, which it must empty.
template <class F>
class stoppable {
 public:
  explicit stoppable(stoppable_box<F>& box) noexcept : box_(&box) {}
  // The first move takes it into its node. A later one takes it out, and then the engine may end at any time.
  stoppable(stoppable&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {
    if (box_ != nullptr && std::exchange(box_->in_node, true)) box_->hook.detach();
  }
  stoppable& operator=(stoppable&&) = delete;
  ~stoppable() {
    if (box_ == nullptr) return;
    box_->hook.detach();
    box_->callable.reset();
    if (box_->hook.let_go()) delete box_;
  }

  void operator()(firing& run) { call(*box_->callable, run); }

 private:
  stoppable_box<F>* box_;
};

// Keeps the memory of an engine's core for the length of a scope, because a callback that is scheduled or resumed there
// may end the engine.
void add_reference(engine_core& core) noexcept;
void drop_reference(engine_core& core) noexcept;
class engine_hold {
 public:
  explicit engine_hold(engine_core& core) noexcept : core_(core) { add_reference(core_); }
  engine_hold(const engine_hold&) = delete;
  engine_hold& operator=(const engine_hold&) = delete;
  ~engine_hold() { drop_reference(core_); }

 private:
  engine_core& core_;
};
// The engine::stopped() of the library's own code; also true while the engine stops.
bool has_stopped(const engine_core& core) noexcept;
// The tag of a module's operation whose user gives none. It is 0, unless the engine's own executor keeps the order of a
// tag; then it is a tag that only this operation has, so that operations do not wait for each other.
std::uint64_t own_tag(const engine_core& core, const void* operation) noexcept;
// timer::cancel_and_wait() and restart_at(), for an engine that is held and may have ended.
cancel_result cancel_held(engine_core& core, const timer& of) noexcept;
bool restart_held(engine_core& core, const timer& of, nanoseconds_t deadline) noexcept;
// engine::poll() in two parts, for a loop whose handlers come between them and arm timers. Each throws as poll() does.
// The first leaves the descriptor as it is. The second sets it to the next deadline, but not before `rests_until`, when
// everything is checked again. It returns false if the engine is stopped, and then the descriptor is readable.
std::size_t poll_held(engine_core& core, std::size_t max_callbacks);
bool settle_held(engine_core& core, nanoseconds_t rests_until);

// Returns a handle or a refusal. Throws only what copying or moving the callable throws.
template <class Callable>
timer schedule_stoppable(engine_core& core, nanoseconds_t deadline, base::stop_token stop, Callable&& f,
                         const timer_options& options, origin where) {
  using F = std::decay_t<Callable>;
  static_assert(timer_callback<F>, "a callback is called as f() or as f(firing&)");
  if (!stop.stop_possible()) return schedule_once(core, deadline, std::forward<Callable>(f), options, where);
  const engine_hold until_hooked(core);  // a stop that was requested before is met as soon as the hook is built
  auto* box = new (std::nothrow) stoppable_box<F>(std::in_place, std::forward<Callable>(f));
  if (box == nullptr) return timer_access::refusal(errc::out_of_memory);
  timer made = schedule(core, {.deadline = deadline, .one_shot = &options, .where = where}, stoppable<F>(*box));
  if (made) box->hook.attach(made, std::move(stop));
  if (box->hook.let_go()) delete box;
  return made;
}

}  // namespace detent::detail
