// SPDX-License-Identifier: MIT
// detent and Boost.Asio: callbacks on an Asio executor, and sleeps as asynchronous operations. docs/asio.md has more.
#pragma once

#include <detent/detail/asio_sleep.hpp>
#include <detent/detail/fired_batch.hpp>
#include <detent/engine.hpp>
#include <detent/executor.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace detent {

namespace detail {

template <class Executor>
class posting_executor final : public executor {
 public:
  posting_executor(Executor&& to, std::size_t at_once) noexcept
      : to_(std::move(to)), at_once_(std::max<std::size_t>(at_once, 1)) {}

  bool execute(fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override {
    return enqueue_batches(work, at_once_, [this](const fired_batch& batch) { boost::asio::post(to_, batch); });
  }

 private:
  Executor to_;
  std::size_t at_once_;
};

}  // namespace detail

// For engine_options.executor: callbacks are posted to `to`, any Asio executor; a strand keeps their order. Of what
// comes due together, up to `at_once` callbacks are posted as one, and run one after the other: cheaper, where no other
// thread would run them anyway. The context must outlive the engine, and a pending timer is no work that keeps it
// running.
template <class Executor>
std::shared_ptr<executor> asio_executor(Executor to, std::size_t at_once = 1) {
  return std::make_shared<detail::posting_executor<Executor>>(std::move(to), at_once);
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
auto async_sleep_for(engine& on, duration delay, Token&& token) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(detail::initiate_sleep{}, token, &on,
                                                                             delay);
}
template <BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code)) Token>
auto async_sleep_until(engine& on, time_point deadline, Token&& token) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(detail::initiate_sleep{}, token, &on,
                                                                             deadline);
}

}  // namespace detent
