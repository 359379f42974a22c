// SPDX-License-Identifier: MIT
#include <detent/firing.hpp>
#include <detent/unfired_timer.hpp>

#include "callers/engine_core.hpp"
#include "timer/run_scope.hpp"

#include <utility>

namespace detent {

void firing::rearm_at(detail::clock_time deadline) noexcept {
  if (!self_) return;
  rearmed_ = true;
  rearm_deadline_ = deadline;
}

void firing::rearm_after(detail::whole_duration delay) noexcept {
  if (!self_) return;
  rearm_at(detail::to_time(detail::deadline_after(detail::timer_access::core(self_), delay.count())));
}

// During the run the node is the runner's.
std::uint64_t firing::tag() const noexcept {
  if (!self_) return 0;
  const detail::engine_core& core = *detail::timer_access::core(self_);
  const detail::node_index index = detail::timer_access::index(self_);
  const bool cold = (detail::observe(core.node_at(index).pair) & detail::state_word::cold) != 0;
  return cold ? core.cold_at(index).tag() : 0;
}

unfired_timer::unfired_timer(timer which, time_point when, std::uint64_t tagged, const detail::callable_ops* ops,
                             void* capture) noexcept
    : handle(which), deadline(when), tag(tagged), ops_(ops) {
  ops->relocate(capture, capture_);
}

unfired_timer::unfired_timer(unfired_timer&& other) noexcept
    : handle(other.handle), deadline(other.deadline), tag(other.tag), ops_(std::exchange(other.ops_, nullptr)) {
  if (ops_ != nullptr) ops_->relocate(other.capture_, capture_);
}

unfired_timer& unfired_timer::operator=(unfired_timer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  handle = other.handle;
  deadline = other.deadline;
  tag = other.tag;
  ops_ = std::exchange(other.ops_, nullptr);
  if (ops_ != nullptr) ops_->relocate(other.capture_, capture_);
  return *this;
}

void unfired_timer::reset() noexcept {
  if (const detail::callable_ops* ops = std::exchange(ops_, nullptr)) detail::destroy_callable(*ops, capture_);
}

void unfired_timer::run() {
  const detail::callable_ops* ops = std::exchange(ops_, nullptr);
  if (ops == nullptr) return;
  struct destroy_after {
    const detail::callable_ops& ops;
    void* capture;
    ~destroy_after() { detail::destroy_callable(ops, capture); }
  } guard{*ops, capture_};
  detail::run_scope scope(timer(), detail::to_ns(deadline), detail::to_ns(clock::now()), 0, false);
  ops->invoke(capture_, scope.view());
}

}  // namespace detent
