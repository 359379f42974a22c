// SPDX-License-Identifier: MIT
// Repeats an operation until it succeeds, with pauses, within a number of attempts and a deadline.
#pragma once

#include <detent/recipes/backoff.hpp>
#include <detent/recipes/deadline.hpp>
#include <detent/recipes/detail/alarm.hpp>
#include <detent/recipes/detail/bad_input.hpp>
#include <detent/recipes/retry_budget.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace detent::recipes {

struct retry_policy {
  int attempts = 4;                      // the first one included; at least 1
  deadline until = deadline::never();    // of all attempts together
  duration timeout = (duration::max)();  // of one attempt
  backoff_policy pauses = {};
  std::shared_ptr<retry_budget> budget = {};  // shared by all retries; null: no budget limits them
};

enum class retry_result : std::uint8_t {
  succeeded,
  attempts_used_up,
  deadline_passed,  // or it would pass during the next pause
  refused,          // the engine scheduled nothing more, or ended a timer unrun: stopped, out of capacity, dropped
  out_of_budget     // the retry_budget has nothing left
};

// Decides what to do after an attempt, in a loop of the program's own, above all in a coroutine.
//
//   for (retry_plan plan(policy);;) {
//     if (co_await call(server, plan.limit(engine))) co_return plan.succeeded();
//     const auto next = plan.failed(engine);
//     if (!next) co_return false;
//     co_await engine.sleep_until(*next);
//   }
//
// Threads: one at a time. Cost, errors: as deadline, backoff and retry_budget. Lifetime: a value.
class retry_plan {
 public:
  explicit retry_plan(const retry_policy& policy) : policy_(policy), pauses_(policy.pauses) {}
  retry_plan(const retry_policy& policy, std::uint64_t seed) noexcept : policy_(policy), pauses_(policy.pauses, seed) {}

  // The time limit of the attempt that begins now. `on` is the engine.
  deadline limit(const timed auto& on) const noexcept { return policy_.until.within(on, policy_.timeout); }
  // Returns when the next attempt begins. None: result() says why.
  std::optional<time_point> failed(const timed auto& on) noexcept {
    if (++failures_ >= policy_.attempts) return stop(retry_result::attempts_used_up);
    const deadline next = deadline::after(on, pauses_.next());
    if (next >= policy_.until) return stop(retry_result::deadline_passed);
    if (policy_.budget != nullptr && !policy_.budget->try_spend()) return stop(retry_result::out_of_budget);
    return next.when();
  }
  // Notes that the attempt has succeeded, which adds to the budget. Returns true.
  bool succeeded() noexcept {
    if (policy_.budget != nullptr) policy_.budget->note_success();
    result_ = retry_result::succeeded;
    return true;
  }
  int failures() const noexcept { return failures_; }
  retry_result result() const noexcept { return result_; }
  const retry_policy& policy() const noexcept { return policy_; }

 private:
  std::nullopt_t stop(retry_result why) noexcept {
    result_ = why;
    return std::nullopt;
  }

  retry_policy policy_;
  backoff pauses_;
  int failures_ = 0;
  retry_result result_ = retry_result::succeeded;
};

class retry_attempt;

namespace detail {

inline const retry_plan& checked(const retry_plan& plan) {
  const retry_policy& policy = plan.policy();
  if (policy.attempts < 1)
    refuse_option("retry: attempts = " + std::to_string(policy.attempts) + ": must be at least 1");
  if (!std::isfinite(policy.pauses.factor))
    refuse_option("retry: pauses.factor = " + std::to_string(policy.pauses.factor) + ": must be finite");
  return plan;
}

class retry_core : public alarm {
 public:
  retry_core(place on, const retry_plan& plan, const timer_options& how)
      : alarm(std::move(on), how), plan_(checked(plan)) {}

  void start() {
    const std::lock_guard lock(mutex_);
    arm(on().now());
  }
  void report(int number, bool success) {
    {
      const std::lock_guard lock(mutex_);
      if (over_ || !trying_ || number != number_) return;
      trying_ = false;
      {
        const quiet here(*this);
        limit_.cancel();  // kept, because cancel() waits for its run
      }
      if (!success && try_again()) return;
      if (success && plan_.succeeded()) result_ = retry_result::succeeded;
      over_ = true;
    }
    finish(result_);
  }
  // Returns whether this call prevents `finished`.
  bool cancel() noexcept {
    scoped_timer limit;  // its end comes after the lock's, and waits for its run
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = !std::exchange(over_, true);
      std::swap(limit, limit_);
    }
    end();
    return first;
  }

 protected:
  retry_attempt reporter(int number, deadline until);
  virtual void attempt(int number, deadline until) = 0;
  virtual void finish(retry_result result) = 0;

 private:
  // The callable of an attempt's limit.
  class limit_claim {
   public:
    limit_claim(std::shared_ptr<retry_core> of, int number) noexcept : of_(std::move(of)), number_(number) {}
    limit_claim(limit_claim&&) noexcept = default;
    limit_claim& operator=(limit_claim&&) = delete;
    ~limit_claim() {
      if (of_ != nullptr) of_->limit_lost(number_);
    }
    void operator()() const { of_->report(number_, false); }

   private:
    std::shared_ptr<retry_core> of_;  // null after it has moved
    int number_;
  };
  static_assert(fits_inline<limit_claim>);

  // Called after a failure. If it returns false, result_ says why there is no further attempt.
  bool try_again() noexcept {
    result_ = retry_result::refused;
    if (on().stopped()) return false;
    if (const auto next = plan_.failed(on())) return try_arm(*next);
    result_ = plan_.result();
    return false;
  }
  bool due(time_point) noexcept override {
    if (over_) return false;
    trying_ = true;
    ++number_;
    until_ = plan_.limit(on());
    limit_.release();
    if (until_.is_never()) return true;
    timer limit;
    {
      const quiet here(*this);
      limit = on().try_schedule_at(
          until_.when(), limit_claim(std::static_pointer_cast<retry_core>(shared_from_this()), number_), options());
    }
    unlimited_ = over_ = !limit;  // an attempt without its limit might never end
    if (limit) limit_ = scoped_timer(limit);
    return true;
  }
  void call() override {
    if (unlimited_) return finish(retry_result::refused);
    const int number = number_;
#ifdef __cpp_exceptions
    try {
#endif
      attempt(number, until_);
#ifdef __cpp_exceptions
    } catch (...) {
      report(number, false);  // an exception of `finished` replaces this one
      throw;
    }
#endif
  }
  bool given_up() noexcept override {
    result_ = retry_result::refused;
    return !std::exchange(over_, true);
  }
  void after_end() noexcept override { finish(result_); }
  // The limit's timer has ended without its run, and an attempt without its limit might never end.
  void limit_lost(int number) noexcept {
    if (is_quiet()) return;
    {
      const std::lock_guard lock(mutex_);
      if (!trying_ || number != number_) return;
      trying_ = false;
      limit_.release();
      if (!given_up()) return;
    }
    after_end();
  }

  retry_plan plan_;
  scoped_timer limit_;  // the limit of the attempt under way
  deadline until_;
  int number_ = 0;       // of the last attempt, counted from 1
  bool trying_ = false;  // that attempt was not reported yet
  bool over_ = false;
  bool unlimited_ = false;  // the attempt's limit was refused; used only by the run
  retry_result result_ = retry_result::succeeded;
};

}  // namespace detail

// One attempt, to be kept by the code that answers it. Call it with true or false, on any thread, once. Later calls,
// and calls after its time is up, have no effect.
class retry_attempt {
 public:
  int number() const noexcept { return number_; }  // from 1 on
  deadline until() const noexcept { return until_; }
  void operator()(bool success) const {
    const auto kept = of_;  // `finished` may destroy the retry and all attempts, including this one
    kept->report(number_, success);
  }

 private:
  friend class detail::retry_core;
  retry_attempt(std::shared_ptr<detail::retry_core> of, int number, deadline until) noexcept
      : of_(std::move(of)), number_(number), until_(until) {}
  std::shared_ptr<detail::retry_core> of_;
  int number_;
  deadline until_;
};

inline retry_attempt detail::retry_core::reporter(int number, deadline until) {
  return {std::static_pointer_cast<retry_core>(shared_from_this()), number, until};
}

// Calls operation(retry_attempt) until an attempt reports true, then finished(retry_result).
//
// Threads: `operation` runs where the engine runs callbacks, the first time too, and never twice at a time. `finished`
// is called once: on the thread of the last report, or where the engine runs callbacks, or on the thread that drops a
// timer of the retry. Cost: one allocation; an attempt is a timer or two and a short lock. Errors: the constructor
// throws invalid_option (a null function, attempts = 0, a factor that is not finite) and what engine::schedule_at()
// throws. An attempt that throws has failed; the exception goes to the engine's on_error. An attempt that never reports
// ends at its limit; if it has none, only cancel() ends it. When the engine stops, a retry in a pause, or in an attempt
// with a limit, finishes as `refused`. There, and in each case in which a timer is dropped, `finished` must not throw.
// Lifetime: the destructor cancels. It waits for an `operation`, or for a `finished` of an attempt whose time was up,
// that runs on another thread. Either function may destroy the retry. It may outlive the engine, which may be moved.
template <class Operation, class Finished>
class retry {
 public:
  // `on` is an engine or a timer_group.
  retry(detail::place on, const retry_policy& policy, Operation operation, Finished finished, timer_options how = {})
      : retry(std::move(on), retry_plan(policy), std::move(operation), std::move(finished), how) {}
  // Takes a plan, which may have a seed: then the pauses are the same each time.
  retry(detail::place on, const retry_plan& plan, Operation operation, Finished finished, timer_options how = {})
      : core_(std::make_shared<core>(std::move(on), plan, how, std::move(operation), std::move(finished))) {
    core_->start();
  }
  retry(const retry&) = delete;
  retry& operator=(const retry&) = delete;
  ~retry() { cancel(); }

  // True: `finished` will not be called. False: it has been called, or is being called. Waits as the destructor does.
  bool cancel() noexcept { return core_->cancel(); }

 private:
  class core final : public detail::retry_core {
   public:
    core(detail::place on, const retry_plan& plan, const timer_options& how, Operation operation, Finished finished)
        : retry_core(std::move(on), plan, how),
          operation_(detail::not_null("retry: operation", std::move(operation))),
          finished_(detail::not_null("retry: finished", std::move(finished))) {}

   private:
    void attempt(int number, deadline until) override { operation_(reporter(number, until)); }
    void finish(retry_result result) override { finished_(result); }

    Operation operation_;
    Finished finished_;
  };

  std::shared_ptr<core> core_;
};

}  // namespace detent::recipes
