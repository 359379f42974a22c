// SPDX-License-Identifier: MIT
// A sender and a timer beside each other: timeout(), for <detent/sender_timeout.hpp>. Empty if there is neither
// std::execution nor stdexec.
#pragma once

#include <detent/base/execution.hpp>

#if DETENT_HAS_SENDERS
#include <detent/detail/parties.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timed_frame.hpp>
#include <detent/senders.hpp>

#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace detent::detail {

namespace execution = base::found::execution;

// --- The completions of a sender, and a variant that keeps one of them

template <class Found, class... More>
struct unique_types {
  using type = Found;
};
template <class... Found, class First, class... More>
struct unique_types<std::variant<Found...>, First, More...>
    : unique_types<std::conditional_t<(std::is_same_v<Found, First> || ...), std::variant<Found...>,
                                      std::variant<Found..., First>>,
                   More...> {};

template <class Signature>
struct kept_completion;
template <class Tag, class... Values>
struct kept_completion<Tag(Values...)> {
  using type = std::tuple<Tag, std::decay_t<Values>...>;
};

template <class Signatures>
struct with_own_ends;
template <class... Signature>
struct with_own_ends<execution::completion_signatures<Signature...>> {
  template <class... S>
  using kept = typename unique_types<std::variant<std::monostate>, typename kept_completion<S>::type...>::type;
  using variant = kept<Signature..., execution::set_error_t(std::error_code), execution::set_stopped_t()>;

  template <class T, class... S>
  static constexpr bool has = (std::is_same_v<T, S> || ...);
  using error = execution::set_error_t(std::error_code);
  using stopped = execution::set_stopped_t();
  static auto all() {
    if constexpr (has<error, Signature...> && has<stopped, Signature...>) {
      return execution::completion_signatures<Signature...>{};
    } else if constexpr (has<error, Signature...>) {
      return execution::completion_signatures<Signature..., stopped>{};
    } else if constexpr (has<stopped, Signature...>) {
      return execution::completion_signatures<Signature..., error>{};
    } else {
      return execution::completion_signatures<Signature..., error, stopped>{};
    }
  }
};

template <class Sender, class... Env>
using timeout_completions = decltype(with_own_ends<execution::completion_signatures_of_t<Sender, Env...>>::all());

// --- The operation

template <class Sender, class Receiver>
class timeout_operation : public base::execution::operation_mark<Receiver>, timed_frame {
  using receiver_env = execution::env_of_t<Receiver>;

  // The inner sender's environment. Its stop token is the operation's; other queries go to the receiver.
  class env {
   public:
    explicit env(const timeout_operation& of) noexcept : of_(&of) {}
    base::found::inplace_stop_token query(base::found::get_stop_token_t) const noexcept {
      return of_->source_.get_token();
    }
    template <class Query>
    requires requires(const receiver_env& in, Query query) { in.query(query); }
    auto query(Query query) const noexcept { return execution::get_env(of_->receiver_).query(query); }

   private:
    const timeout_operation* of_;
  };
  class inner_receiver {
   public:
    using receiver_concept = typename Receiver::receiver_concept;
    explicit inner_receiver(timeout_operation& of) noexcept : of_(&of) {}
    template <class... Values>
    void set_value(Values&&... values) && noexcept {
      of_->arrived(execution::set_value, std::forward<Values>(values)...);
    }
    template <class Error>
    void set_error(Error&& problem) && noexcept {
      of_->arrived(execution::set_error, std::forward<Error>(problem));
    }
    void set_stopped() && noexcept { of_->arrived(execution::set_stopped); }
    env get_env() const noexcept { return env(*of_); }

   private:
    timeout_operation* of_;
  };

 public:
  timeout_operation(const scheduler& on, duration delay, Sender&& of, Receiver&& receiver)
      : timed_frame(*scheduler_access::place(on).core),
        held_(*core_),
        on_(scheduler_access::place(on)),
        options_(scheduler_access::options(on)),
        delay_(delay),
        receiver_(std::move(receiver)),
        inner_(execution::connect(std::move(of), inner_receiver(*this))) {}
  timeout_operation(const timeout_operation&) = delete;
  timeout_operation& operator=(const timeout_operation&) = delete;

  void start() & noexcept {
    left_.begin(3);  // the sender, the timer, and this call
    const errc refused = arm_apart(deadline_after(core_, delay_.count()), on_.with(options_ ? &*options_ : nullptr),
                                   this, frame_ops<timeout_operation>::ops);
    if (refused == errc::stopped) return execution::set_stopped(std::move(receiver_));
    if (refused != errc{}) return execution::set_error(std::move(receiver_), make_error_code(refused));
    auto stop = base::execution::stop_token_of(receiver_);
    if constexpr (!base::execution::never_stops<decltype(stop)>) hook_.emplace(std::move(stop), on_stop{this});
    execution::start(inner_);
    if (left_.arrive()) finish();
  }

 private:
  friend struct frame_ops<timeout_operation>;
  enum class first : std::uint8_t { none, sender, timer };
  // Counts as a party while it asks, because what it asks may end the operation.
  struct on_stop {
    timeout_operation* asked;
    void operator()() const noexcept {
      if (!asked->left_.join()) return;
      asked->source_.request_stop();
      if (asked->left_.arrive()) asked->finish();
    }
  };
  struct no_hook {};
  using stop_token = base::execution::stop_token<Receiver>;
  template <class Token, bool Never>
  struct hook_of {
    using type = base::execution::stop_callback<Token, on_stop>;
  };
  template <class Token>
  struct hook_of<Token, true> {
    using type = no_hook;
  };

  // (1) acq_rel: pairs with itself; one of the two is the first.
  bool is_first(first who) noexcept {
    first found = first::none;
    return first_.compare_exchange_strong(found, who, base::acq_rel, base::relaxed);
  }
  bool is_ready(firing&) const noexcept { return true; }
  void on_run() noexcept { time_is_up(errc{}); }
  void on_end(bool) noexcept { time_is_up(why_ended()); }
  void time_is_up(errc lost) noexcept {
    if (is_first(first::timer)) {
      lost_ = lost;
      source_.request_stop();
    }
    if (left_.arrive()) finish();
  }
  template <class Tag, class... Values>
  void arrived(Tag tag, Values&&... values) noexcept {
    const bool in_time = is_first(first::sender);
    if (in_time) kept_.template emplace<std::tuple<Tag, std::decay_t<Values>...>>(tag, std::forward<Values>(values)...);
    if (left_.arrive(in_time && withdraw() ? 2 : 1)) finish();
  }
  void finish() noexcept {
    hook_.reset();  // waits for one that runs on another thread
    // relaxed: all have arrived.
    if (first_.load(base::relaxed) == first::sender) return finish_as_the_sender();
    if (lost_ == errc::stopped) return execution::set_stopped(std::move(receiver_));
    execution::set_error(std::move(receiver_),
                         lost_ == errc{} ? std::make_error_code(std::errc::timed_out) : make_error_code(lost_));
  }
  void finish_as_the_sender() noexcept {
    std::visit(
        [this]<class Kept>(Kept& kept) {
          if constexpr (!std::is_same_v<Kept, std::monostate>) {
            // The values are copied out of the operation, which the receiver may destroy.
            std::apply([this](auto tag, auto... values) { tag(std::move(receiver_), std::move(values)...); },
                       std::move(kept));
          }
        },
        kept_);
  }

  const engine_hold held_;
  const timer_place on_;
  const std::optional<timer_options> options_;
  const duration delay_;
  errc lost_{};  // why the timer has not run, or errc{}
  base::atomic<first> first_{first::none};
  parties left_;
  base::found::inplace_stop_source source_;
  Receiver receiver_;
  std::optional<typename hook_of<stop_token, base::execution::never_stops<stop_token>>::type> hook_;
  typename with_own_ends<execution::completion_signatures_of_t<Sender, env>>::variant kept_;
  execution::connect_result_t<Sender, inner_receiver> inner_;
};

}  // namespace detent::detail

namespace detent {

// The sender that timeout() returns. It may be connected as often as the sender inside it.
template <class Sender>
class [[nodiscard]] timeout_sender {
 public:
  using sender_concept = base::execution::sender_tag;

  timeout_sender(const scheduler& on, duration delay, Sender of) : on_(on), delay_(delay), of_(std::move(of)) {}

  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    return detail::timeout_completions<Sender, Env...>{};
  }

  template <class Receiver>
  detail::timeout_operation<Sender, Receiver> connect(Receiver receiver) && {
    return {on_, delay_, std::move(of_), std::move(receiver)};
  }
  template <class Receiver>
  detail::timeout_operation<Sender, Receiver> connect(Receiver receiver) const& {
    return {on_, delay_, Sender(of_), std::move(receiver)};
  }

 private:
  scheduler on_;
  duration delay_;
  Sender of_;
};

// Completes as `of` does, if that is in time. When that much time has passed since start(), `of` is asked to stop by
// the stop token of its receiver, and waited for. Then the operation completes with set_error(std::error_code) and
// std::errc::timed_out, and drops the completion of `of`. A stop of the receiver's own token is passed on to `of`. If
// the limit itself is lost, it completes with set_stopped() if its engine stops, and with set_error(errc::dropped) if
// its executor drops it. If the limit cannot be armed, it completes as the scheduler's own senders do, and `of` is not
// started.
//
// Completes on the thread on which `of` does, or where the engine runs callbacks if that is later. Allocates nothing. A
// negative delay counts as 0. The completion of `of` is kept in the operation state in between, so its copies and moves
// must not throw.
template <class Sender>
timeout_sender<std::decay_t<Sender>> timeout(Sender&& of, const scheduler& on, detail::whole_duration delay) {
  return {on, delay, std::forward<Sender>(of)};
}

}  // namespace detent

#endif
