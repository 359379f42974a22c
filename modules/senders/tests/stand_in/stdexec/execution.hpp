// SPDX-License-Identifier: MIT
// Stands in for the real <stdexec/execution.hpp>, with the same names and the same rules, for as much of it as
// detent::scheduler and its tests use: no algorithm but just().
#pragma once

#include <concepts>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace stdexec {

struct sender_tag {};
struct receiver_tag {};
struct scheduler_tag {};
struct operation_state_tag {};

struct set_value_t {
  template <class Receiver, class... Values>
  void operator()(Receiver&& to, Values&&... values) const noexcept {
    static_assert(noexcept(std::move(to).set_value(std::forward<Values>(values)...)));
    std::move(to).set_value(std::forward<Values>(values)...);
  }
};
struct set_error_t {
  template <class Receiver, class Error>
  void operator()(Receiver&& to, Error&& problem) const noexcept {
    static_assert(noexcept(std::move(to).set_error(std::forward<Error>(problem))));
    std::move(to).set_error(std::forward<Error>(problem));
  }
};
struct set_stopped_t {
  template <class Receiver>
  void operator()(Receiver&& to) const noexcept {
    static_assert(noexcept(std::move(to).set_stopped()));
    std::move(to).set_stopped();
  }
};
inline constexpr set_value_t set_value{};
inline constexpr set_error_t set_error{};
inline constexpr set_stopped_t set_stopped{};

template <class... Signatures>
struct completion_signatures {};
template <class Sender, class... Env>
using completion_signatures_of_t = typename Sender::completion_signatures;

struct empty_env {};
struct get_env_t {
  template <class T>
  auto operator()(const T& of) const noexcept {
    if constexpr (requires { of.get_env(); }) {
      return of.get_env();
    } else {
      return empty_env{};
    }
  }
};
inline constexpr get_env_t get_env{};
template <class T>
using env_of_t = decltype(get_env(std::declval<const T&>()));

// Has callback_type, as C++26's std::stop_token does.
class stoppable_token : public std::stop_token {
 public:
  template <class F>
  using callback_type = std::stop_callback<F>;
  explicit stoppable_token(std::stop_token of) noexcept : std::stop_token(std::move(of)) {}
};
using inplace_stop_token = stoppable_token;
class inplace_stop_source {
 public:
  inplace_stop_token get_token() const noexcept { return inplace_stop_token(of_.get_token()); }
  bool request_stop() noexcept { return of_.request_stop(); }

 private:
  std::stop_source of_;
};
struct never_stop_token {
  template <class F>
  struct callback_type {
    callback_type(never_stop_token, F) noexcept {}
  };
  static constexpr bool stop_requested() noexcept { return false; }
  static constexpr bool stop_possible() noexcept { return false; }
  friend bool operator==(never_stop_token, never_stop_token) = default;
};
template <class Token, class F>
using stop_callback_for_t = typename Token::template callback_type<F>;

struct get_stop_token_t {
  template <class Env>
  auto operator()(const Env& of) const noexcept {
    if constexpr (requires { of.query(*this); }) {
      return of.query(*this);
    } else {
      return never_stop_token{};
    }
  }
};
inline constexpr get_stop_token_t get_stop_token{};

template <class Tag>
struct get_completion_scheduler_t {
  template <class Env>
  auto operator()(const Env& of) const noexcept {
    return of.query(*this);
  }
};
template <class Tag>
inline constexpr get_completion_scheduler_t<Tag> get_completion_scheduler{};

template <class Op>
concept operation_state = std::destructible<Op> &&
    std::derived_from<typename Op::operation_state_concept, operation_state_tag> && requires(Op& op) {
  { op.start() }
  noexcept;
};
struct start_t {
  template <operation_state Op>
  void operator()(Op& op) const noexcept {
    op.start();
  }
};
inline constexpr start_t start{};

template <class T>
concept receiver = std::derived_from<typename T::receiver_concept, receiver_tag> && std::move_constructible<T>;
template <class T>
concept sender = std::derived_from<typename std::remove_cvref_t<T>::sender_concept, sender_tag> &&
    std::move_constructible<std::remove_cvref_t<T>>;

struct connect_t {
  template <sender Sender, receiver Receiver>
  auto operator()(Sender&& from, Receiver to) const {
    static_assert(operation_state<decltype(std::forward<Sender>(from).connect(std::move(to)))>);
    return std::forward<Sender>(from).connect(std::move(to));
  }
};
inline constexpr connect_t connect{};
template <class Sender, class Receiver>
using connect_result_t = decltype(connect(std::declval<Sender>(), std::declval<Receiver>()));

struct schedule_t {
  template <class Scheduler>
  auto operator()(Scheduler&& on) const noexcept {
    static_assert(sender<decltype(on.schedule())>);
    return std::forward<Scheduler>(on).schedule();
  }
};
inline constexpr schedule_t schedule{};
template <class T>
concept scheduler = std::derived_from<typename T::scheduler_concept, scheduler_tag> && std::copyable<T> &&
    std::equality_comparable<T> && requires(const T& on) {
  { schedule(on) } -> sender;
  { get_completion_scheduler<set_value_t>(get_env(schedule(on))) } -> std::same_as<T>;
};

class just_sender {
 public:
  using sender_concept = sender_tag;
  template <class Receiver>
  struct operation {
    using operation_state_concept = operation_state_tag;
    Receiver to;
    void start() noexcept { stdexec::set_value(std::move(to)); }
  };
  template <class Receiver>
  operation<Receiver> connect(Receiver to) const {
    return {std::move(to)};
  }
};
inline just_sender just() noexcept { return {}; }

class run_loop {
 public:
  struct loop_scheduler {
    using scheduler_concept = scheduler_tag;
  };
  loop_scheduler get_scheduler() noexcept { return {}; }
};

}  // namespace stdexec
