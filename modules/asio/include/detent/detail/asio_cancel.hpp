// SPDX-License-Identifier: MIT
// Time limits as completion tokens: stand-ins for the user's token, handler and initiation.
// `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_tokens.hpp>
#include <detent/detail/asio_limit.hpp>
#include <detent/detail/asio_null_token.hpp>
#include <detent/detail/limit_plan.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace detent::detail {

// The user's handler, which lies in the limit. It has a slot of its own.
template <class Asio, class Handler, class Limit>
class timed_handler {
 public:
  using cancellation_slot_type = typename Limit::slots::slot;

  explicit timed_handler(Limit& of) noexcept : limit_(&of) {}
  timed_handler(timed_handler&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
  timed_handler& operator=(timed_handler&&) = delete;
  ~timed_handler() {
    if (limit_ != nullptr) limit_->destroy();
  }

  cancellation_slot_type get_cancellation_slot() const noexcept { return limit_->slot(); }
  const Handler& inner() const noexcept { return limit_->handler(); }

  template <class... Args>
  void operator()(Args&&... args) {
    std::exchange(limit_, nullptr)->complete(std::forward<Args>(args)...);
  }

 private:
  Limit* limit_;
};

// The operation's initiation, called with such a handler.
template <class Asio, class Initiation, class... Signatures>
class timed_initiation {
 public:
  explicit timed_initiation(Initiation&& initiation) : initiation_(std::move(initiation)) {}
  explicit timed_initiation(const Initiation& initiation) : initiation_(initiation) {}

  const Initiation& inner() const noexcept { return initiation_; }

  template <class Handler, class Type, class... Args>
  void operator()(Handler&& handler, const limit_plan& plan, Type type, Args&&... args) {
    using stored = std::decay_t<Handler>;
    const auto own = Asio::executor(handler, Asio::executor(initiation_));
    const auto origin = Asio::executor(initiation_, own);
    using path = completion_path<std::remove_const_t<decltype(origin)>, std::remove_const_t<decltype(own)>>;
    using limit = time_limit<Asio, stored, path, Signatures...>;
    limit& mine = limit::make(stored(std::forward<Handler>(handler)), path{origin, own}, type);
    const std::unique_ptr<limit, end_of_initiation> under_way(&mine);
    timed_handler<Asio, stored, limit> wrapped(mine);
    mine.arm(plan);
    std::move(initiation_)(std::move(wrapped), std::forward<Args>(args)...);
  }
  template <class Handler, class Type, class... Args>
  void operator()(Handler&& handler, const limit_plan& plan, Type type, Args&&... args) const {
    timed_initiation copy(initiation_);
    copy(std::forward<Handler>(handler), plan, type, std::forward<Args>(args)...);
  }

 private:
  struct end_of_initiation {
    void operator()(limit_state* of) const noexcept { of->initiated(); }
  };

  Initiation initiation_;
};

template <class Asio, class Token>
class timed_token {
 public:
  using cancellation_type = typename base::slots_of<Asio>::type;

  template <class T>
  timed_token(const limit_plan& plan, cancellation_type type, T&& token)
      : plan_(plan), type_(type), token_(std::forward<T>(token)) {}

 private:
  template <class, class, class...>
  friend class timed_result;

  limit_plan plan_;
  cancellation_type type_;
  Token token_;
};

// Serves as async_result for such a token: the result of the user's token, for the wrapped initiation.
template <class Asio, class Token, class... Signatures>
class timed_result {
 public:
  template <class Initiation, class Timed, class... Args>
  static decltype(auto) initiate(Initiation&& initiation, Timed&& timed, Args&&... args) {
    using inner = std::conditional_t<std::is_const_v<std::remove_reference_t<Timed>>, const Token, Token>;
    using token = std::conditional_t<std::is_lvalue_reference_v<Timed>, inner&, inner>;  // moved from, or copied
    return Asio::template initiate<token, Signatures...>(
        timed_initiation<Asio, std::decay_t<Initiation>, Signatures...>(std::forward<Initiation>(initiation)),
        timed.token_, timed.plan_, timed.type_, std::forward<Args>(args)...);
  }
};

// A limit that has no token yet: makes one of a token, and is itself one, for the operation's default token.
template <class Asio>
class partial_limit {
 public:
  using cancellation_type = typename base::slots_of<Asio>::type;

  partial_limit(const limit_plan& plan, cancellation_type type) noexcept : plan_(plan), type_(type) {}

  template <class Token>
  [[nodiscard]] timed_token<Asio, std::decay_t<Token>> operator()(Token&& token) const {
    refuse_null(plan_.call(), token);
    return {plan_, type_, std::forward<Token>(token)};
  }

 private:
  limit_plan plan_;
  cancellation_type type_;
};

// As timed_result, for the default token.
template <class Asio, class... Signatures>
class partial_result {
 public:
  template <class Initiation, class Partial, class... Args>
  static decltype(auto) initiate(Initiation&& initiation, Partial&& partial, Args&&... args) {
    using token = typename Asio::template default_token<typename Asio::template executor_of<std::decay_t<Initiation>>>;
    static_assert(
        !std::is_void_v<token>,
        "cancel_after without a token needs an operation that has a default token, or Boost 1.79 or Asio 1.22");
    auto timed = partial(token());
    return Asio::template initiate<decltype(timed), Signatures...>(std::forward<Initiation>(initiation), timed,
                                                                   std::forward<Args>(args)...);
  }
};

// A type that may be the token of cancel_after(), and is none of its other arguments.
template <class Token, class Asio>
concept limit_token = !std::is_convertible_v<Token, timer_options> &&
                      !std::is_same_v<std::remove_cvref_t<Token>, typename base::slots_of<Asio>::type>;

template <class Asio, class When>
partial_limit<Asio> limit_time(place by, When when, const timer_options& options,
                               typename base::slots_of<Asio>::type type) {
  static_assert(base::slots_of<Asio>::exist,
                "cancel_after and cancel_at need cancellation slots: Boost 1.77 or Asio 1.20");
  return {limit_plan(std::move(by), when, options), type};
}

}  // namespace detent::detail
