// SPDX-License-Identifier: MIT
// detent and Boost.Asio: callbacks on an Asio executor, sleeps as asynchronous operations, and time limits for others.
// docs/asio.md has more.
#pragma once

#include <detent/base/boost_asio.hpp>
#include <detent/detail/asio_cancel.hpp>
#include <detent/detail/asio_executor.hpp>
#include <detent/detail/asio_sleep.hpp>
#include <detent/engine.hpp>
#include <detent/executor.hpp>

#include <cstddef>
#include <memory>
#include <utility>

// A file that includes <detent/asio.hpp> and <detent/standalone_asio.hpp> names this namespace.
namespace detent::inline boost_asio {

// For engine_options.executor: callbacks are posted to `to`, any Asio executor; a strand keeps their order. Of what
// comes due together, up to `at_once` callbacks are posted as one, and run one after the other: cheaper, where no other
// thread would run them anyway. The context must outlive the engine, and a pending timer is no work that keeps it
// running.
template <class Executor>
std::shared_ptr<executor> asio_executor(Executor to, std::size_t at_once = 1) {
  return std::make_shared<detail::posting_executor<base::boost_asio, Executor>>(std::move(to), at_once);
}

// Completes with void(boost::system::error_code) on the handler's associated executor, once:
//   no error            the time has elapsed, by the engine's clock
//   operation_aborted   cancelled through its slot, or the engine was stopped or destroyed
//   no_buffer_space     the engine's capacity is exhausted; no_memory: memory is
//   operation_not_supported   in the child of a fork
// Until then it is outstanding work of that executor, whose context must outlive the engine or its stop(). A handler
// without an executor of its own runs on the thread on which the engine runs callbacks, and if aborted, on a thread of
// Asio's system_executor. The delay counts from the initiation.
template <BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code)) Token>
auto async_sleep_for(engine& on, detail::whole_duration delay, Token&& token) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(detail::initiate_sleep<base::boost_asio>{},
                                                                             token, &on, duration(delay));
}
template <BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code)) Token>
auto async_sleep_until(engine& on, detail::clock_time deadline, Token&& token) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(detail::initiate_sleep<base::boost_asio>{},
                                                                             token, &on, time_point(deadline));
}

// A completion token that gives any asynchronous operation a time limit; `token` says how it completes. When the time
// is up, a cancellation of `type` is emitted to the operation, on the handler's associated executor (without one, the
// operation's), which must run one handler at a time: a strand, or a context that one thread runs. The operation then
// completes as it does when it is cancelled, mostly with operation_aborted. An operation that completes first cancels
// the timer. Cancellations of the handler's own slot are passed on. An engine that refuses the timer, or is stopped or
// destroyed, cancels the operation at once. The delay counts from the initiation. The context must outlive the engine
// or its stop(), or the operation must have ended before. Allocates three blocks for each operation. Needs Boost 1.77
// and a standard library with std::stop_token. Boost.Asio has a cancel_after by its own timers since 1.86.
template <class Token>
auto cancel_after(engine& by, detail::whole_duration delay, Token&& token,
                  base::slots_of<base::boost_asio>::type type = base::slots_of<base::boost_asio>::type::terminal) {
  return detail::limit_time<base::boost_asio>(by, duration(delay), std::forward<Token>(token), type);
}
template <class Token>
auto cancel_at(engine& by, detail::clock_time deadline, Token&& token,
               base::slots_of<base::boost_asio>::type type = base::slots_of<base::boost_asio>::type::terminal) {
  return detail::limit_time<base::boost_asio>(by, time_point(deadline), std::forward<Token>(token), type);
}

}  // namespace detent::inline boost_asio
