// SPDX-License-Identifier: MIT
// detent and standalone Asio: callbacks on an Asio executor, sleeps as asynchronous operations, and time limits for
// others. docs/asio.md has more.
#pragma once

#include <detent/base/standalone_asio.hpp>
#include <detent/base/standalone_asio_contexts.hpp>
#include <detent/detail/asio_cancel.hpp>
#include <detent/detail/asio_executor.hpp>
#include <detent/detail/asio_sleep.hpp>
#include <detent/detail/asio_sleeper.hpp>
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>
#include <detent/executor.hpp>
#include <detent/options.hpp>
#include <detent/timer_group.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

// A file that includes <detent/asio.hpp> and <detent/standalone_asio.hpp> names this namespace.
namespace detent::inline standalone_asio {

// For engine_options.executor: callbacks are posted to `to`, any Asio executor; a strand keeps their order. The engine
// posts once for all that comes due together. Each callback is a handler of its own, or up to `at_once` callbacks are
// one handler and run one after the other. The latter is cheaper if no other thread would run them anyway. Callbacks
// that cannot be posted wait in the engine and are posted again in order, also under refusal_policy::run_inline. The
// context must outlive the engine. A pending timer is no work that keeps it running.
template <class Executor>
std::shared_ptr<executor> asio_executor(Executor to, std::size_t at_once = 1) {
  return std::make_shared<detail::posting_executor<base::standalone_asio, Executor>>(std::move(to), at_once);
}

// Completes with void(::asio::error_code) on the handler's associated executor, once:
//   no error            the time has elapsed, by the engine's clock
//   operation_aborted   cancelled through its slot or its group, dropped as stale, or the engine was stopped or
//                       destroyed
//   no_buffer_space     the engine's capacity is exhausted; no_memory: memory is
//   operation_not_supported   in the child of a fork
// It is outstanding work of that executor until then. No executor of the engine delays it: the executor in `options` is
// checked and not used. A handler without an executor of its own runs on a thread of Asio's system_executor. A context
// that ends first, if it is an io_context or a thread_pool, destroys the handler uncalled; other contexts must outlive
// the engine or its stop(). The delay counts from the initiation, which throws bad_alloc. Allocates nothing in the
// steady state, or one block by the handler's own allocator.
//
// `on` is an engine, or a timer_group whose member the sleep becomes. Throws invalid_option (lane, slack, another
// engine's label or executor, a null handler). Without a token it is deferred, as Asio's own operations are; this needs
// Asio 1.22.
template <ASIO_COMPLETION_TOKEN_FOR(void(::asio::error_code)) Token>
auto async_sleep_for(detail::place on, detail::whole_duration delay, timer_options options, Token&& token) {
  detail::check_sleep("async_sleep_for", on, options, token);
  return ::asio::async_initiate<Token, void(::asio::error_code)>(detail::initiate_sleep<base::standalone_asio>(), token,
                                                                 std::move(on), duration(delay), options);
}
template <ASIO_COMPLETION_TOKEN_FOR(void(::asio::error_code)) Token>
requires(!std::is_same_v<std::remove_cvref_t<Token>, timer_options>) auto async_sleep_for(detail::place on,
                                                                                          detail::whole_duration delay,
                                                                                          Token&& token) {
  return standalone_asio::async_sleep_for(std::move(on), delay, timer_options(), std::forward<Token>(token));
}
template <class Asio = base::standalone_asio>
requires base::has_default_token<Asio>
auto async_sleep_for(detail::place on, detail::whole_duration delay, timer_options options = {}) {
  return standalone_asio::async_sleep_for(std::move(on), delay, std::move(options), typename Asio::fallback_token());
}
template <ASIO_COMPLETION_TOKEN_FOR(void(::asio::error_code)) Token>
auto async_sleep_until(detail::place on, detail::clock_time deadline, timer_options options, Token&& token) {
  detail::check_sleep("async_sleep_until", on, options, token);
  return ::asio::async_initiate<Token, void(::asio::error_code)>(detail::initiate_sleep<base::standalone_asio>(), token,
                                                                 std::move(on), time_point(deadline), options);
}
template <ASIO_COMPLETION_TOKEN_FOR(void(::asio::error_code)) Token>
requires(!std::is_same_v<std::remove_cvref_t<Token>, timer_options>) auto async_sleep_until(detail::place on,
                                                                                            detail::clock_time deadline,
                                                                                            Token&& token) {
  return standalone_asio::async_sleep_until(std::move(on), deadline, timer_options(), std::forward<Token>(token));
}
template <class Asio = base::standalone_asio>
requires base::has_default_token<Asio>
auto async_sleep_until(detail::place on, detail::clock_time deadline, timer_options options = {}) {
  return standalone_asio::async_sleep_until(std::move(on), deadline, std::move(options),
                                            typename Asio::fallback_token());
}

// Sleeps as the operations of an I/O object, like those of steady_timer. It is made from an engine or a timer_group,
// and an executor or its context, on which handlers run that have no executor of their own. For
// use_awaitable.as_default_on() and the like.
template <class Executor = ::asio::any_io_executor>
using basic_sleeper = detail::asio_sleeper<base::standalone_asio, Executor>;
using sleeper = basic_sleeper<>;

// A completion token that gives any asynchronous operation a time limit; `token` says how it completes. Without
// `token`, the result makes such a token of any other, and is itself one, for the operation's default token. `by` is an
// engine or a timer_group, which may be moved or end before the initiation. The delay counts from the initiation.
//
// When the time is up, a cancellation of `type` is emitted to the operation, on the handler's associated executor, or
// on the operation's if the handler has none. That executor must run one handler at a time: a strand, or a context that
// one thread runs. The operation then completes as it does when it is cancelled, mostly with operation_aborted. An
// operation that completes first cancels the timer. Cancellations of the handler's own slot are passed on. The
// operation is cancelled at once if the engine has no place or no memory for the timer, if the engine is stopped or
// destroyed, or if the group is cancelled. A context that ends first, if it is an io_context or a thread_pool, destroys
// the operation uncalled, and with it the timer; other contexts must outlive the engine or its stop(). A null `token`
// throws invalid_option.
//
// The timer runs on the driver, unless `options` name an executor. It takes one block of the handler's allocator for
// each operation, or of memory that the context recycles; the block is free again before the handler is called. The
// initiation throws detent::error for options that the engine cannot meet, and what the allocator throws. Needs Asio
// 1.20.
inline auto cancel_after(
    detail::place by, detail::whole_duration delay, timer_options options,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), delay, options, type);
}
inline auto cancel_after(
    detail::place by, detail::whole_duration delay,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), delay, timer_options(), type);
}
template <detail::limit_token<base::standalone_asio> Token>
auto cancel_after(
    detail::place by, detail::whole_duration delay, timer_options options, Token&& token,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), delay, options, type)(std::forward<Token>(token));
}
template <detail::limit_token<base::standalone_asio> Token>
auto cancel_after(
    detail::place by, detail::whole_duration delay, Token&& token,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), delay, timer_options(),
                                                   type)(std::forward<Token>(token));
}
inline auto cancel_at(
    detail::place by, detail::clock_time deadline, timer_options options,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), deadline, options, type);
}
inline auto cancel_at(
    detail::place by, detail::clock_time deadline,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), deadline, timer_options(), type);
}
template <detail::limit_token<base::standalone_asio> Token>
auto cancel_at(
    detail::place by, detail::clock_time deadline, timer_options options, Token&& token,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), deadline, options, type)(std::forward<Token>(token));
}
template <detail::limit_token<base::standalone_asio> Token>
auto cancel_at(
    detail::place by, detail::clock_time deadline, Token&& token,
    base::slots_of<base::standalone_asio>::type type = base::slots_of<base::standalone_asio>::type::terminal) {
  return detail::limit_time<base::standalone_asio>(std::move(by), deadline, timer_options(),
                                                   type)(std::forward<Token>(token));
}

}  // namespace detent::inline standalone_asio
