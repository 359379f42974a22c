// SPDX-License-Identifier: MIT
// An engine or a group as something to schedule on, for objects that may outlive the engine.
#pragma once

#include <detent/detail/schedule.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timer_access.hpp>

#include <utility>

namespace detent::detail {

// These take and release the references; `group` may be null.
void hold_place(engine_core& core, group_state* group) noexcept;
void let_go_of_place(engine_core& core, group_state* group) noexcept;
// engine::now(). Once the engine has stopped, a manual clock may be gone; the time is then the end of time.
nanoseconds_t reported_time(const engine_core& core) noexcept;
// Throws what a schedule call with these options throws because of them.
void check_options(const engine_core& core, const timer_options& options);

// How a timer is armed, besides its time. Its maker owns all that it refers to.
struct timer_terms {
  const timer_options* options = nullptr;  // null: all defaults
  group_state* group = nullptr;
  const executor* group_executor = nullptr;
};
// own_tag(), for a timer that is armed in this way.
std::uint64_t own_tag(const engine_core& core, const timer_terms& how, const void* operation) noexcept;

// An engine, or one of its timer_groups, as functions take it. It keeps the engine's core alive, not the engine. So it
// goes on with an engine that is moved, and every call finds an engine that has ended stopped.
//
// Threads: any, at once, except moving and destroying. Cost: a reference or two; calls cost what they cost on the
// engine or group.
class place {
 public:
  place(engine& on) noexcept;
  place(const timer_group& on) noexcept;
  place(const place& other) noexcept
      : core_(other.core_), group_(other.group_), group_executor_(other.group_executor_) {
    if (core_ != nullptr) hold_place(*core_, group_);
  }
  place(place&& other) noexcept
      : core_(std::exchange(other.core_, nullptr)), group_(other.group_), group_executor_(other.group_executor_) {}
  place& operator=(const place&) = delete;
  place& operator=(place&&) = delete;
  ~place() {
    if (core_ != nullptr) let_go_of_place(*core_, group_);
  }

  engine_core& core() const noexcept { return *core_; }
  timer_terms with(const timer_options* options) const noexcept { return {options, group_, group_executor_}; }
  time_point now() const noexcept { return to_time(reported_time(*core_)); }
  bool stopped() const noexcept { return has_stopped(*core_); }
  // Throws invalid_option, naming the option that is wrong.
  void check(const timer_options& options) const { check_options(*core_, options); }

  // Schedules as the engine or the group does.
  template <class F>
  timer try_schedule_at(time_point deadline, F&& f, const timer_options& options,
                        origin where = origin::current()) const noexcept {
    return schedule(*core_,
                    {.deadline = to_ns(deadline),
                     .one_shot = &options,
                     .group = group_,
                     .group_executor = group_executor_,
                     .where = where},
                    std::forward<F>(f));
  }
  // Throws the reason why try_schedule_at() has returned an empty handle.
  [[noreturn]] void refuse(const timer& refused, const timer_options& options) const {
    throw_schedule_error(*core_, timer_access::problem(refused), options);
  }

 private:
  place(engine_core* core, group_state* group, const executor* group_executor, const char* kind) noexcept
      : core_(core), group_(group), group_executor_(group_executor) {
    if (core_ == nullptr) [[unlikely]]
      used_after_move(kind, "place");
    hold_place(*core_, group_);
  }

  engine_core* core_;  // null once moved from
  group_state* group_;
  const executor* group_executor_;
};

}  // namespace detent::detail
