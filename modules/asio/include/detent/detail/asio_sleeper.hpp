// SPDX-License-Identifier: MIT
// Sleeps as the operations of an I/O object. `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/detail/asio_sleep.hpp>
#include <detent/detail/place.hpp>
#include <detent/options.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace detent::detail {

// An engine or one of its timer_groups, and the executor of handlers that have none of their own. It may be copied and
// moved freely, and may end before its sleeps do. It keeps the engine's memory, not the engine. One thread at a time.
template <class Asio, class Executor>
class asio_sleeper {
 public:
  using executor_type = Executor;
  template <class Other>
  struct rebind_executor {
    using other = asio_sleeper<Asio, Other>;
  };

  asio_sleeper(place on, const Executor& ex) : on_(std::move(on)), executor_(ex) {}
  // The executor of an execution context.
  template <class Context>
  requires std::derived_from<Context, typename base::contexts_of<Asio>::context> &&
      std::constructible_from<Executor, typename Context::executor_type>
      asio_sleeper(place on, Context& context) : asio_sleeper(std::move(on), Executor(context.get_executor())) {}
  template <class Other>
  requires(!std::same_as<Other, Executor> && std::constructible_from<Executor, const Other&>) explicit asio_sleeper(
      const asio_sleeper<Asio, Other>& other)
      : on_(other.on_), executor_(other.executor_) {}

  executor_type get_executor() const noexcept { return executor_; }

  // These do what the functions of that name do.
  template <class Token = typename Asio::template default_token<Executor>>
  requires(!std::same_as<std::remove_cvref_t<Token>, timer_options>) auto async_sleep_for(whole_duration delay,
                                                                                          Token&& token = Token()) {
    return async_sleep_for(delay, timer_options(), std::forward<Token>(token));
  }
  template <class Token = typename Asio::template default_token<Executor>>
  auto async_sleep_for(whole_duration delay, timer_options options, Token&& token = Token()) {
    return start(duration(delay), options, token);
  }
  template <class Token = typename Asio::template default_token<Executor>>
  requires(!std::same_as<std::remove_cvref_t<Token>, timer_options>) auto async_sleep_until(clock_time deadline,
                                                                                            Token&& token = Token()) {
    return async_sleep_until(deadline, timer_options(), std::forward<Token>(token));
  }
  template <class Token = typename Asio::template default_token<Executor>>
  auto async_sleep_until(clock_time deadline, timer_options options, Token&& token = Token()) {
    return start(time_point(deadline), options, token);
  }

 private:
  template <class, class>
  friend class asio_sleeper;

  template <class When, class Token>
  auto start(When when, const timer_options& options, Token& token) {
    check_sleep("async_sleep", on_, options, token);
    return Asio::template initiate<Token, void(typename Asio::error_code)>(initiate_sleep<Asio, Executor>(executor_),
                                                                           token, on_, when, options);
  }

  place on_;
  Executor executor_;
};

}  // namespace detent::detail
