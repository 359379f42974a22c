// SPDX-License-Identifier: MIT
#include <detent/timer_group.hpp>

#include "callers/members.hpp"

#include <new>
#include <utility>

namespace detent {

timer_group::timer_group(engine& of) : core_(&of.core()), state_(nullptr) {
  if (core_->is_forked())  // the lock is the parent's
    throw error(make_error_code(errc::forked), "engine \"" + core_->options.name + "\": timer_group");
  try {
    state_ = &core_->groups.make();
  } catch (const std::bad_alloc&) {
    throw error(make_error_code(errc::out_of_memory), "engine \"" + core_->options.name + "\": timer_group");
  }
  core_->add_reference();
}

timer_group::timer_group(timer_group&& other) noexcept
    : core_(std::exchange(other.core_, nullptr)), state_(std::exchange(other.state_, nullptr)) {}

timer_group& timer_group::operator=(timer_group&& other) noexcept {
  if (this != &other) {
    let_go();
    core_ = std::exchange(other.core_, nullptr);
    state_ = std::exchange(other.state_, nullptr);
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
  detail::cancel_group(owner, *state_);
  detail::wait_for_group(owner, *state_);
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
