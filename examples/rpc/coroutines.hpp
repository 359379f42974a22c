// SPDX-License-Identifier: MIT
// What this example uses of Boost.Asio.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <utility>

namespace rpc {

namespace asio = boost::asio;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

// Starts a coroutine; what leaves it ends io.run() with that exception.
template <class Executor>
void start(const Executor& on, awaitable<void> coroutine) {
  asio::co_spawn(on, std::move(coroutine), [](const std::exception_ptr& problem) {
    if (problem) std::rethrow_exception(problem);
  });
}

}  // namespace rpc
