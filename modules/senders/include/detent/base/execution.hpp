// SPDX-License-Identifier: MIT
// Senders and receivers: the standard library's, from C++26 on, or stdexec's, which came before; the only place that
// asks which. DETENT_HAS_SENDERS is 1 where there is one of the two, and 0 elsewhere.
#pragma once

#include <version>

#if defined(__cpp_lib_senders)
#define DETENT_HAS_SENDERS 1
#include <execution>
#include <stop_token>

namespace detent::base::found {
namespace execution = ::std::execution;
using ::std::get_stop_token;
using ::std::get_stop_token_t;
using ::std::inplace_stop_source;
using ::std::inplace_stop_token;
using ::std::stop_callback_for_t;
}  // namespace detent::base::found

#elif __has_include(<stdexec/execution.hpp>)
#define DETENT_HAS_SENDERS 1
#include <stdexec/execution.hpp>

namespace detent::base::found {
namespace execution = ::stdexec;
using ::stdexec::get_stop_token;
using ::stdexec::get_stop_token_t;
using ::stdexec::inplace_stop_source;
using ::stdexec::inplace_stop_token;
using ::stdexec::stop_callback_for_t;
}  // namespace detent::base::found

#else
#define DETENT_HAS_SENDERS 0
#endif

#if DETENT_HAS_SENDERS
#include <system_error>
#include <type_traits>
#include <utility>

namespace detent::base {

// The types by which a class says what it models have had several names, so they are taken from the library's own
// schedulers and operations. A type that those lack is not asked for.
template <class T>
struct as_scheduler {};
template <class T>
requires requires { typename T::scheduler_concept; }
struct as_scheduler<T> {
  using scheduler_concept = typename T::scheduler_concept;
};
template <class T>
struct as_operation {};
template <class T>
requires requires { typename T::operation_state_concept; }
struct as_operation<T> {
  using operation_state_concept = typename T::operation_state_concept;
};

// The parts of the library that detent uses, as one type.
struct execution {
  static constexpr bool is_there = true;

  using sender_tag = typename decltype(found::execution::just())::sender_concept;
  using scheduler_mark = as_scheduler<decltype(std::declval<found::execution::run_loop&>().get_scheduler())>;
  template <class Receiver>  // one that takes no values
  using operation_mark = as_operation<found::execution::connect_result_t<decltype(found::execution::just()), Receiver>>;
  using completions = found::execution::completion_signatures<found::execution::set_value_t(),
                                                              found::execution::set_error_t(std::error_code),
                                                              found::execution::set_stopped_t()>;
  using completion_scheduler_query = found::execution::get_completion_scheduler_t<found::execution::set_value_t>;

  template <class Receiver>
  static auto stop_token_of(const Receiver& of) noexcept {
    return found::get_stop_token(found::execution::get_env(of));
  }
  template <class Receiver>
  using stop_token = decltype(stop_token_of(std::declval<const Receiver&>()));
  template <class Token, class F>
  using stop_callback = found::stop_callback_for_t<Token, F>;
  // Returns whether the token is known never to ask for a stop.
  template <class Token>
  static constexpr bool never_stops = requires {
    requires !Token::stop_possible();
  };

  // Each of these moves the receiver away.
  template <class Receiver>
  static void set_value(Receiver& to) noexcept {
    found::execution::set_value(std::move(to));
  }
  template <class Receiver>
  static void set_stopped(Receiver& to) noexcept {
    found::execution::set_stopped(std::move(to));
  }
  template <class Receiver>
  static void set_error(Receiver& to, std::error_code problem) noexcept {
    found::execution::set_error(std::move(to), problem);
  }
};

}  // namespace detent::base

#else

namespace detent::base {

// Has neither of the two.
struct execution {
  static constexpr bool is_there = false;

  struct sender_tag {};
  struct scheduler_mark {};
  struct completions {};
  struct completion_scheduler_query {};
};

}  // namespace detent::base

#endif
