// SPDX-License-Identifier: MIT
#include <detent/firing.hpp>
#include <detent/unfired.hpp>

#include "callers/engine_core.hpp"
#include "timer/run_scope.hpp"

#include <utility>

namespace detent {

void firing::rearm_at(time_point deadline) noexcept {
  if (!self_) return;
  rearmed_ = true;
  rearm_deadline_ = deadline;
}

void firing::rearm_after(duration delay) noexcept {
  if (!self_) return;
  rearm_at(detail::to_time(detail::deadline_after(detail::timer_access::core(self_), delay.count())));
}

unfired::unfired(timer which, time_point when, const detail::callable_ops* ops, void* capture) noexcept
    : handle(which), deadline(when), ops_(ops) {
  ops->relocate(capture, capture_);
}

unfired::unfired(unfired&& other) noexcept
    : handle(other.handle), deadline(other.deadline), ops_(std::exchange(other.ops_, nullptr)) {
  if (ops_ != nullptr) ops_->relocate(other.capture_, capture_);
}

unfired& unfired::operator=(unfired&& other) noexcept {
  if (this == &other) return *this;
  reset();
  handle = other.handle;
  deadline = other.deadline;
  ops_ = std::exchange(other.ops_, nullptr);
  if (ops_ != nullptr) ops_->relocate(other.capture_, capture_);
  return *this;
}

void unfired::reset() noexcept {
  if (const detail::callable_ops* ops = std::exchange(ops_, nullptr)) detail::destroy_callable(*ops, capture_);
}

void unfired::run() {
  const detail::callable_ops* ops = std::exchange(ops_, nullptr);
  if (ops == nullptr) return;
  struct destroy_after {
    const detail::callable_ops& ops;
    void* capture;
    ~destroy_after() { detail::destroy_callable(ops, capture); }
  } guard{*ops, capture_};
  detail::run_scope scope(nullptr, 0, 0);
  detail::nanoseconds_t started = detail::to_ns(clock::now());
  scope.describe(detail::to_ns(deadline), started, 0, false);
  ops->invoke(capture_, scope.view());
}

}  // namespace detent
