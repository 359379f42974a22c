// SPDX-License-Identifier: MIT
#include <detent/base/coroutine.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timed_frame.hpp>

#include "callers/cancel.hpp"
#include "callers/refusals.hpp"
#include "callers/run_steps.hpp"
#include "engine/live_cores.hpp"

#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace detent::detail {

timed_frame* frame_claim::take() noexcept {
  const std::lock_guard lock(live_cores::mutex());
  timed_frame* const frame = get();
  forget();
  if (frame != nullptr) frame->claim_ = nullptr;
  return frame;
}

timed_frame* frame_claim::move_to(void* place) noexcept {
  auto* const moved = ::new (place) frame_claim(nullptr);
  if (frame_.load(base::acquire) == nullptr) return nullptr;  // (2) acquire: pairs with (1)
  const std::lock_guard lock(live_cores::mutex());
  timed_frame* const frame = get();
  if (frame == nullptr) return nullptr;  // it has just gone
  forget();
  frame->claim_ = nullptr;
  if (frame->unwanted_) return frame;
  moved->frame_.store(frame, base::relaxed);
  frame->claim_ = moved;
  return nullptr;
}

// Uses the shortest schedule call. With options, or in an engine that notes where its timers come from, it uses the
// longer one.
errc timed_frame::arm(nanoseconds_t deadline, const timer_terms& how, const callable_ops& ops) noexcept {
  claim_ = nullptr;
  unwanted_ = false;
  static_assert(sizeof(frame_claim) == sizeof(std::uint64_t));
  if (how.options == nullptr && how.group == nullptr) {
    timer_ = schedule_packed_owning(core_, deadline, ops, reinterpret_cast<std::uintptr_t>(this));
    if (timer_) return errc{};
    if (const errc problem = timer_access::problem(timer_); problem != needs_origin) return problem;
  }
  const plan when{
      .deadline = deadline, .one_shot = how.options, .group = how.group, .group_executor = how.group_executor};
  const claim owned = claim_node(*core_, when);
  if (owned.owned == nullptr) return owned.problem;
  ::new (owned.capture) frame_claim(this);
  timer_ = publish(*core_, owned, ops, when, false);
  return timer_ ? errc{} : timer_access::problem(timer_);
}

errc timed_frame::arm_apart(nanoseconds_t deadline, const timer_terms& how, const void* coroutine,
                            const callable_ops& ops) noexcept {
  const std::uint64_t tag = own_tag(*core_, how, coroutine);
  if (tag == 0) [[likely]]
    return arm(deadline, how, ops);
  const timer_options apart{.tag = tag};
  return arm(deadline, {&apart, how.group, how.group_executor}, ops);
}

void timed_frame::disarm() noexcept {
  const node_index index = timer_access::index(timer_);
  {
    const std::lock_guard lock(live_cores::mutex());
    // The node exists even if the engine has stopped, because it goes with the core.
    auto* const in_node = std::launder(reinterpret_cast<frame_claim*>(core_->node_at(index).capture));
    (claim_ != nullptr ? claim_ : in_node)->forget();
  }
  cancel_and_wait(*core_, index, timer_access::generation(timer_));
}

bool timed_frame::withdraw() noexcept {
  {
    const std::lock_guard lock(live_cores::mutex());
    unwanted_ = true;
    if (frame_claim* const given_back = std::exchange(claim_, nullptr)) {
      given_back->forget();
      return true;
    }
  }
  const timer waiting = timer_;
  cancel_many(*core_, {&waiting, 1});
  return false;
}

// A manual clock may be gone once the engine has stopped.
void timed_frame::hurry() noexcept {
  if (core_->stopped()) return;
  const nanoseconds_t tick = core_->options.tick.count();
  restart(*core_, timer_access::index(timer_), timer_access::generation(timer_),
          subtract_saturated(core_->time.certain(), tick - 1));
}

errc timed_frame::why_ended() const noexcept { return core_->stopped() ? errc::stopped : errc::dropped; }

void timed_frame::throw_ended(errc problem) const {
  const std::string why =
      problem == errc::stopped
          ? "it has stopped while a coroutine slept on it"
          : "a coroutine's timer has ended without its run: its executor dropped it, it was stale, or it was cancelled";
  throw error(problem, prefix_of(*core_) + why);
}

void timed_frame::resume_guarded(void* coroutine) noexcept {
  engine_core& core = *core_;
  const engine_hold until_reported(core);
  try {
    base::coroutine_handle::from_address(coroutine).resume();
  } catch (...) {
    if (!live_cores::is_live(core.number())) std::terminate();  // objects that on_error refers to may be gone
    record_lease mine(core.threads);
    report_failure_after_end(core, *mine);
  }
}

}  // namespace detent::detail
