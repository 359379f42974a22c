// SPDX-License-Identifier: MIT
// A second request if the first takes long; the first answer counts.
#pragma once

#include <detent/recipes/detail/alarm.hpp>
#include <detent/recipes/detail/bad_input.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace detent::recipes {

struct hedge_options {
  duration delay{};  // the wait for an answer before the next copy: often the 95th percentile of the usual answer
  int copies = 2;    // the first one included; 1 to 32
};

template <class Answer>
class hedged_copy;

namespace detail {

template <class Answer>
class hedge_core : public alarm {
 public:
  hedge_core(place on, const hedge_options& options, const timer_options& how)
      : alarm(std::move(on), how), options_(options) {
    if (options.copies < 1 || options.copies > 32)
      refuse_option("hedge: copies = " + std::to_string(options.copies) + ": must be 1 to 32");
  }
  void start() {
    const std::lock_guard lock(mutex_);
    arm(on().now());
  }
  // No answer means that this copy has failed.
  void report(int index, std::optional<Answer> answer) {
    std::uint32_t losers = 0;
    {
      const std::lock_guard lock(mutex_);
      if (over_ || (reported_ & bit(index)) != 0) return;
      reported_ |= bit(index);
      under_way_ &= ~bit(index);
      // After a failure the next copy goes out at once.
      if (!answer && sent_ < options_.copies && try_arm(on().now())) return;
      if (!answer && reported_ != sent_bits()) return;  // another copy may still answer
      losers = finish();
    }
    lose(losers);
    answered(std::move(answer));
  }
  bool cancel() noexcept {
    bool first = false;
    std::uint32_t losers = 0;
    {
      const std::lock_guard lock(mutex_);
      first = !over_;
      if (first) losers = finish();
    }
    lose(losers);
    end();
    return first;
  }

 protected:
  hedged_copy<Answer> copy(int index) {
    return {std::static_pointer_cast<hedge_core>(this->shared_from_this()), index};
  }
  virtual void send(int index) = 0;
  virtual void lost(int index) noexcept = 0;
  virtual void answered(std::optional<Answer> answer) = 0;

 private:
  static std::uint32_t bit(int index) noexcept { return std::uint32_t{1} << index; }
  std::uint64_t sent_bits() const noexcept { return (std::uint64_t{1} << sent_) - 1; }
  // Called under the mutex. Returns the copies that are under way.
  std::uint32_t finish() noexcept {
    over_ = true;
    disarm();
    return std::exchange(under_way_, 0);
  }
  void lose(std::uint32_t copies) noexcept {
    for (int i = 0; copies != 0; ++i, copies >>= 1)
      if ((copies & 1) != 0) lost(i);
  }
  bool due(time_point started) noexcept override {
    if (over_ || sent_ == options_.copies) return false;
    ++sent_;
    if (sent_ < options_.copies) arm_after_run(sum(started, options_.delay));
    return true;
  }
  void call() override {
    const int index = sent_ - 1;  // only a run changes it
#ifdef __cpp_exceptions
    try {
#endif
      send(index);
#ifdef __cpp_exceptions
    } catch (...) {
      report(index, std::nullopt);  // an exception of `answered` replaces this one
      throw;
    }
#endif
    settle(index);
  }
  // No more copies are sent. Those that are under way may still answer, unless the engine ends.
  bool given_up() noexcept override {
    if (over_) return false;
    if (!on().stopped() && reported_ != sent_bits()) {
      options_.copies = sent_;
      return false;
    }
    left_behind_ = finish();
    return true;
  }
  void after_end() noexcept override {
    lose(left_behind_);
    answered(std::nullopt);
  }
  // A copy can be lost as soon as it has been sent, because the hedge may have ended by then.
  void settle(int index) {
    bool late = false;
    {
      const std::lock_guard lock(mutex_);
      if ((reported_ & bit(index)) != 0) return;
      late = over_;
      if (!late) under_way_ |= bit(index);
    }
    if (late) lost(index);
  }

  hedge_options options_;
  int sent_ = 0;
  std::uint32_t reported_ = 0;     // copies that have answered or failed
  std::uint32_t under_way_ = 0;    // copies that send() has returned from and that have neither answered nor failed
  std::uint32_t left_behind_ = 0;  // those under way when it was given up
  bool over_ = false;
};

struct lose_nothing {
  void operator()(int) const noexcept {}
};

}  // namespace detail

// One copy, to be kept by the code that answers it. Call it on any thread, once, with the answer, or with nullopt if
// that copy has failed. Later calls, and calls after another copy's answer, have no effect.
template <class Answer>
class hedged_copy {
 public:
  int index() const noexcept { return index_; }  // counted from 0
  void operator()(std::optional<Answer> answer) const {
    const auto kept = of_;  // the functions may destroy the hedge and all copies, including this one
    kept->report(index_, std::move(answer));
  }

 private:
  friend class detail::hedge_core<Answer>;
  hedged_copy(std::shared_ptr<detail::hedge_core<Answer>> of, int index) noexcept : of_(std::move(of)), index_(index) {}
  std::shared_ptr<detail::hedge_core<Answer>> of_;
  int index_;
};

// Calls send(hedged_copy<Answer>) for the first copy, and for the next one whenever `delay` passes without an answer or
// a copy fails. The first answer goes to answered(optional<Answer>). lost(index) is called for each other copy that is
// under way, to cancel it. If all copies fail, answered(nullopt) is called. After Dean and Barroso, "The Tail at
// Scale", CACM 2013.
//
// Threads: `send` runs where the engine runs callbacks, never twice at a time. `lost` and `answered` run on the thread
// that reports; `lost` also on one that cancels, or right after `send`; both on the thread that drops the hedge's
// timer, if that ends the hedge. `lost` must not throw. Cost: one allocation; a copy is an arming of the timer and a
// short lock. Errors: the constructor throws invalid_option (a null function, copies out of range) and what
// engine::schedule_at() throws. A copy whose `send` throws has failed; the exception goes to the engine's on_error. If
// the timer of the next copy is dropped, no more copies are sent, and those that are under way may still answer. If
// none is, or if the engine has stopped, answered(nullopt) is called, which must not throw there. Lifetime: the
// destructor cancels, and waits for a `send` on another thread. Each function may destroy the hedge; the other calls of
// the same report or cancellation still come. It may outlive the engine, which may be moved.
template <class Answer, class Send, class Answered, class Lost = detail::lose_nothing>
class hedge {
 public:
  // `on` is an engine or a timer_group.
  hedge(detail::place on, const hedge_options& options, Send send, Answered answered, Lost lost = {},
        timer_options how = {})
      : core_(std::make_shared<core>(std::move(on), options, how, std::move(send), std::move(answered),
                                     std::move(lost))) {
    core_->start();
  }
  hedge(const hedge&) = delete;
  hedge& operator=(const hedge&) = delete;
  ~hedge() { cancel(); }

  // True: `answered` will not be called, and all copies that are under way are lost. False: it has been called, or is
  // being called. Waits as the destructor does.
  bool cancel() noexcept {
    const auto kept = core_;  // `lost` may destroy the hedge
    return kept->cancel();
  }

 private:
  class core final : public detail::hedge_core<Answer> {
   public:
    core(detail::place on, const hedge_options& options, const timer_options& how, Send send, Answered answered,
         Lost lost)
        : detail::hedge_core<Answer>(std::move(on), options, how),
          send_(detail::not_null("hedge: send", std::move(send))),
          answered_(detail::not_null("hedge: answered", std::move(answered))),
          lost_(detail::not_null("hedge: lost", std::move(lost))) {}

   private:
    void send(int index) override { send_(this->copy(index)); }
    void lost(int index) noexcept override { lost_(index); }
    void answered(std::optional<Answer> answer) override { answered_(std::move(answer)); }

    Send send_;
    Answered answered_;
    Lost lost_;
  };

  std::shared_ptr<core> core_;
};

// hedge_call<reply>(engine, options, send, answered, lost): the compiler deduces the functions' types.
template <class Answer, class Send, class Answered, class Lost = detail::lose_nothing>
hedge<Answer, Send, Answered, Lost> hedge_call(detail::place on, const hedge_options& options, Send send,
                                               Answered answered, Lost lost = {}, timer_options how = {}) {
  return {std::move(on), options, std::move(send), std::move(answered), std::move(lost), how};
}

}  // namespace detent::recipes
