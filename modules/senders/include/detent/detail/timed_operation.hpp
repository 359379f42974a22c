// SPDX-License-Identifier: MIT
// A sender's wait for its time, as an operation state.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/place.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/error.hpp>
#include <detent/options.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace detent::detail {

// The engine's hold on an operation, in the timer itself: its run completes the operation with a value, and its end
// without a run completes it as stopped, or with an error.
template <class Operation>
class operation_claim {
 public:
  explicit operation_claim(Operation& of) noexcept : operation_(&of) {}
  operation_claim(operation_claim&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {
    if (operation_ != nullptr) operation_->claim_moved();
  }
  operation_claim& operator=(operation_claim&&) = delete;
  ~operation_claim() {
    if (operation_ != nullptr) operation_->claim_ended(false);
  }

  void operator()() noexcept { std::exchange(operation_, nullptr)->claim_ended(true); }
  // Withdraws the claim if it is still here.
  bool withdraw() noexcept { return std::exchange(operation_, nullptr) != nullptr; }

 private:
  Operation* operation_;  // null after it has moved or ended
};

// The engine or the group of a timer, neither of which is kept alive.
struct timer_place {
  engine_core* core = nullptr;
  group_state* group = nullptr;
  const executor* group_executor = nullptr;

  friend bool operator==(const timer_place& a, const timer_place& b) noexcept {
    return a.core == b.core && a.group == b.group;
  }
  timer_terms with(const timer_options* options) const noexcept { return {options, group, group_executor}; }
};

// The time of an operation, which is a point of the engine's clock or a delay after start(), and the timer's options.
struct timed_start {
  nanoseconds_t time = 0;
  bool from_start = false;
  std::optional<timer_options> options = std::nullopt;
  timer_place of = {};

  nanoseconds_t deadline() const noexcept { return from_start ? deadline_after(of.core, time) : time; }
};

// `Execution` is base::execution. Three threads may meet here: the one that starts, the one that requests a stop, and
// the one that runs the timer or ends the engine. Allocates nothing. Completes once, and no thread touches it
// afterwards.
template <class Execution, class Receiver>
class timed_operation : public Execution::template operation_mark<Receiver> {
 public:
  timed_operation(timed_start when, Receiver&& receiver) noexcept(std::is_nothrow_move_constructible_v<Receiver>)
      : core_(*when.of.core), when_(when), receiver_(std::move(receiver)) {}
  timed_operation(const timed_operation&) = delete;
  timed_operation& operator=(const timed_operation&) = delete;

  void start() & noexcept {
    stop_token stop = Execution::stop_token_of(receiver_);
    if constexpr (!Execution::template never_stops<stop_token>) {
      if (stop.stop_requested()) return Execution::set_stopped(receiver_);
      if (stop.stop_possible()) return start_stoppable(std::move(stop));
    }
    state_.store(started, base::relaxed);  // relaxed: published with the timer
    claim mine(*this);
    const timer made = arm(when_.deadline(), mine);
    if (mine.withdraw()) refuse(timer_access::problem(made));
  }

 private:
  using claim = operation_claim<timed_operation>;
  friend claim;
  struct on_stop {
    timed_operation* asked;
    // Cancelling ends the claim, and perhaps the operation with it, so nothing is touched afterwards. The engine may
    // end during this, so it holds a reference on the engine, as cancel_many() does.
    void operator()() const noexcept {
      const timer waiting = asked->timer_;
      cancel_many(*timer_access::core(waiting), {&waiting, 1});
    }
  };
  using stop_token = typename Execution::template stop_token<Receiver>;
  using stop_callback = typename Execution::template stop_callback<stop_token, on_stop>;
  static constexpr std::uint32_t hooked = 1, detached = 2, started = 4, ran = 8, ended = 16;

  void start_stoppable(stop_token stop) noexcept;
  timer arm(nanoseconds_t deadline, claim& mine) noexcept;
  void claim_moved() noexcept;
  void claim_ended(bool by_run) noexcept;
  void detach() noexcept;
  void refuse(errc problem) noexcept;
  void complete(bool by_run) noexcept;

  engine_core& core_;
  const timed_start when_;
  base::atomic<std::uint32_t> state_{0};
  // Only for the thread that has the claim: where the claim is, and whether the engine's end ended it. This is asked
  // while the engine certainly exists.
  enum class place : std::uint8_t { at_start, in_node, taken_out } place_ = place::at_start;
  bool by_engines_end_ = false;
  timer timer_;
  std::optional<stop_callback> hook_;
  [[no_unique_address]] Receiver receiver_;
};

// The timer must not be due before its handle and the hook in the token exist. So it is armed for the end of time, and
// then restarted. The restart comes last, because the operation and the engine may be gone when it returns.
template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::start_stoppable(stop_token stop) noexcept {
  engine_core& core = core_;
  const engine_hold until_started(core);
  const nanoseconds_t deadline = when_.deadline();
  claim mine(*this);
  const timer made = arm(forever, mine);
  if (mine.withdraw()) return refuse(timer_access::problem(made));
  timer_ = made;
  if (made) hook_.emplace(std::move(stop), on_stop{this});
  // (1) acq_rel: pairs with itself in detach(): the second of the two finds what the first has left, and removes the
  // hook. Comes before (2), because the claim's end may complete the operation from there on.
  if ((state_.fetch_or(hooked, base::acq_rel) & detached) != 0) hook_.reset();
  // (2) acq_rel: pairs with itself in claim_ended(): the second completes.
  const std::uint32_t before = state_.fetch_or(started, base::acq_rel);
  if ((before & (ran | ended)) != 0) return complete((before & ran) != 0);
  restart_held(core, made, deadline);
}

// Without options, an operation on an executor that keeps order has a tag of its own.
template <class Execution, class Receiver>
timer timed_operation<Execution, Receiver>::arm(nanoseconds_t deadline, claim& mine) noexcept {
  const timer_terms how = when_.of.with(when_.options ? &*when_.options : nullptr);
  const timer_options apart{.tag = own_tag(core_, how, this)};
  if (how.options == nullptr && how.group == nullptr && apart.tag == 0)
    return schedule_once(&core_, deadline, std::move(mine));
  return schedule(core_,
                  {.deadline = deadline,
                   .one_shot = how.options != nullptr ? how.options : &apart,
                   .group = how.group,
                   .group_executor = how.group_executor},
                  std::move(mine));
}

// The first move takes the claim into its node. A later one takes it out, and then the engine may end at any time.
template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::claim_moved() noexcept {
  if (place_ == place::at_start) {
    place_ = place::in_node;
  } else if (place_ == place::in_node) {
    place_ = place::taken_out;
    by_engines_end_ = has_stopped(core_);
    detach();
  }
}

template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::claim_ended(bool by_run) noexcept {
  detach();
  if (!by_run && place_ != place::taken_out) by_engines_end_ = has_stopped(core_);
  if ((state_.fetch_or(by_run ? ran : ended, base::acq_rel) & started) != 0) complete(by_run);  // (2)
}

// Removes the hook, whose handle is of no use any more. Waits for one that runs on another thread.
template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::detach() noexcept {
  if ((state_.fetch_or(detached, base::acq_rel) & (hooked | detached)) == hooked) hook_.reset();  // (1)
}

template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::refuse(errc problem) noexcept {
  if (problem == errc::stopped) return Execution::set_stopped(receiver_);
  Execution::set_error(receiver_, make_error_code(problem));
}

// A timer that ends without its run, although its engine goes on and no stop was requested, has been dropped.
template <class Execution, class Receiver>
void timed_operation<Execution, Receiver>::complete(bool by_run) noexcept {
  if (by_run) {
    Execution::set_value(receiver_);
  } else if (by_engines_end_ || Execution::stop_token_of(receiver_).stop_requested()) {
    Execution::set_stopped(receiver_);
  } else {
    Execution::set_error(receiver_, make_error_code(errc::dropped));
  }
}

}  // namespace detent::detail
