// SPDX-License-Identifier: MIT
#include <detent/timer_group.hpp>

#include "callers/members.hpp"
#include "callers/refusals.hpp"

#include <new>
#include <utility>

namespace detent {

timer_group::timer_group(engine& of, executor* runs_on) : core_(&of.core()), state_(nullptr), executor_(runs_on) {
  if (runs_on != nullptr && !core_->executors.has(*runs_on))
    throw error(errc::invalid_option, detail::prefix_of(*core_) + "timer_group: " + detail::foreign_executor);
  if (core_->is_forked())  // the lock is the parent's
    detail::refuse(*core_, "timer_group", errc::forked);
  try {
    state_ = &core_->groups.make();
  } catch (const std::bad_alloc&) {
    detail::refuse(*core_, "timer_group", errc::out_of_memory);
  }
  core_->add_reference();
}

timer_group::timer_group(timer_group&& other) noexcept
    : core_(std::exchange(other.core_, nullptr)),
      state_(std::exchange(other.state_, nullptr)),
      executor_(std::exchange(other.executor_, nullptr)) {}

timer_group& timer_group::operator=(timer_group&& other) noexcept {
  if (this != &other) {
    let_go();
    core_ = std::exchange(other.core_, nullptr);
    state_ = std::exchange(other.state_, nullptr);
    executor_ = std::exchange(other.executor_, nullptr);
  }
  return *this;
}

timer_group::~timer_group() { let_go(); }

void timer_group::let_go() noexcept {
  if (core_ != nullptr) detail::end_group(*core_, *state_);
}

// These calls ask for the core first: a group that has been moved from has no state to refer to.
void timer_group::cancel_all() noexcept {
  detail::engine_core& owner = core();
  detail::cancel_group(owner, *state_);
}

void timer_group::cancel_all_and_wait() noexcept {
  detail::engine_core& owner = core();
  detail::begin_awaited_cancel(owner, *state_);
  detail::wait_for_group(owner, *state_);
  detail::end_awaited_cancel(*state_);
}

void timer_group::pause() noexcept {
  detail::engine_core& owner = core();
  detail::pause_group(owner, *state_);
}

void timer_group::resume() noexcept {
  detail::engine_core& owner = core();
  detail::resume_group(owner, *state_);
}

std::size_t timer_group::pending() const noexcept {
  static_cast<void>(core());
  return static_cast<std::size_t>(state_->pending());
}

}  // namespace detent
