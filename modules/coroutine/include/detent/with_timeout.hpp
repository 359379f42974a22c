// SPDX-License-Identifier: MIT
// co_await with_timeout(engine, 5ms, awaitable): waits for an awaitable, and asks it to stop when time is up.
#pragma once

#include <detent/detail/branch.hpp>
#include <detent/detail/place.hpp>
#include <detent/detail/timed_frame.hpp>
#include <detent/engine.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace detent {

// The awaitable that with_timeout() returns, to be awaited once. Nothing beside the coroutine's frame is allocated.
template <class A>
class [[nodiscard]] timeout_awaiter : detail::timed_frame {
  using place = detail::branch_place<timeout_awaiter, A>;
  using result = typename place::result;

 public:
  timeout_awaiter(detail::place on, duration delay, const timer_options* options, A&& of)
      : timed_frame(on.core()), on_(std::move(on)), delay_(delay), of_(std::forward<A>(of)) {
    if (options != nullptr) options_ = *options;
  }
  // For moves before it is awaited.
  timeout_awaiter(timeout_awaiter&& other)
      : timed_frame(*other.core_),
        on_(other.on_),
        delay_(other.delay_),
        options_(other.options_),
        of_(std::move(other.of_)) {}
  ~timeout_awaiter() {
    of_.clear();
    if (armed_ && !timer_is_over_) disarm();
  }

  bool await_ready() const noexcept { return false; }
  // Throws what engine::schedule_after() throws; the awaitable has not begun then.
  bool await_suspend(std::coroutine_handle<> waiting) {
    of_.make(*this, 0);
    joint_.begin(waiting, 3);  // the awaitable, the timer, and this call
    const timer_options* const options = options_ ? &*options_ : nullptr;
    const errc refused = arm_apart(detail::deadline_after(core_, delay_.count()), on_.with(options), waiting.address(),
                                   detail::frame_ops<timeout_awaiter>::ops);
    if (refused != errc{}) {
      timer_is_over_ = true;
      detail::throw_schedule_error(*core_, refused, options_ ? *options_ : timer_options());
    }
    armed_ = true;
    of_.start();
    return !joint_.arrive();
  }
  // Returns the awaitable's result, or true if it has none. If time was up first, returns none or false, and drops what
  // the awaitable ends with. Throws what the awaitable throws. Throws error if the limit itself ends: `stopped` if its
  // engine stops, `dropped` if its executor drops it.
  auto await_resume() {
    of_.clear();
    using limited = std::conditional_t<std::is_void_v<result>, bool, std::optional<detail::stored<result>>>;
    // relaxed: all have arrived.
    if (first_.load(base::relaxed) == first::timer) {
      if (lost_ != errc{}) throw_ended(lost_);
      return limited{};
    }
    if constexpr (std::is_void_v<result>) {
      of_.end().take();
      return true;
    } else {
      return limited(of_.end().take());
    }
  }
  // Asks the awaitable to give up. Any thread, while this is awaited.
  void ask() noexcept { of_.ask(); }
  // Called by the branch when its awaitable has ended. Returns the coroutine that goes on.
  std::coroutine_handle<> arrived(std::size_t) noexcept {
    const bool for_both = is_first(first::awaitable) && withdraw();
    if (for_both) timer_is_over_ = true;
    if (joint_.arrive(for_both ? 2 : 1)) return joint_.waiting();
    return std::noop_coroutine();
  }

 private:
  friend struct detail::frame_ops<timeout_awaiter>;

  enum class first : std::uint8_t { none, awaitable, timer };

  // (1) acq_rel: pairs with itself; one of the two is first.
  bool is_first(first who) noexcept {
    first found = first::none;
    return first_.compare_exchange_strong(found, who, base::acq_rel, base::relaxed);
  }
  bool is_ready(firing&) const noexcept { return true; }
  void on_run() {
    if (time_is_up(errc{})) joint_.waiting().resume();
  }
  void on_end(bool guarded) {
    if (!time_is_up(why_ended())) return;
    if (guarded) {
      resume_guarded(joint_.waiting().address());
    } else {
      joint_.waiting().resume();
    }
  }
  bool time_is_up(errc lost) noexcept {
    timer_is_over_ = true;
    if (is_first(first::timer)) {
      lost_ = lost;
      of_.ask();
    }
    return joint_.arrive();
  }
  const detail::place on_;
  const duration delay_;
  std::optional<timer_options> options_;
  bool armed_ = false;
  bool timer_is_over_ = false;  // used only by the thread that has the timer
  errc lost_{};                 // why the timer has not run, if it has not
  base::atomic<first> first_{first::none};
  detail::joint joint_;
  place of_;
};

// Waits for `of`, and asks it to stop when that much time has passed since the await. A detent sleep, a with_timeout, a
// when_any or a when_all is asked directly. A function, such as [](std::stop_token stop) { return task(stop); }, is
// asked by its token. Any other awaitable cannot be asked. In each case the coroutine goes on when `of` has ended and
// never before, so nothing of it is left behind. An awaitable that cannot be asked takes its own time, and the answer
// is still that time was up. `on` is an engine or a timer_group. While a group is paused, its limits stand still; when
// it is cancelled, they are lost.
//
// The coroutine goes on where `of` ends, or where the engine runs callbacks. A negative delay counts as 0. Throws
// invalid_option for a function that is null.
template <class A>
requires detail::branchable<A> timeout_awaiter<A> with_timeout(detail::place on, detail::whole_duration delay, A&& of) {
  return {std::move(on), delay, nullptr, std::forward<A>(of)};
}
// With options for the timer. The tag, the label and the executor are for the run that finds that time is up.
template <class A>
requires detail::branchable<A> timeout_awaiter<A> with_timeout(detail::place on, detail::whole_duration delay,
                                                               const timer_options& options, A&& of) {
  return {std::move(on), delay, &options, std::forward<A>(of)};
}

}  // namespace detent
