// SPDX-License-Identifier: MIT
// co_await async_sleep_for(engine, d, use_awaitable), for compilers whose coroutines Asio knows.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>
#include <thread>

namespace detent {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::co_spawn;
using boost::asio::detached;
using boost::asio::io_context;
using boost::asio::use_awaitable;
using boost::system::error_code;
namespace error = boost::asio::error;

TEST(AsioCoroutine, SleepsAndGoesOnInItsContext) {
  io_context context;
  engine worker;
  int steps = 0;
  co_spawn(
      context,
      [&]() -> awaitable<void> {
        for (; steps < 100; ++steps) {
          const time_point begin = clock::now();
          co_await async_sleep_for(worker, 50us, use_awaitable);
          EXPECT_GE(clock::now() - begin, 50us);
          EXPECT_TRUE(context.get_executor().running_in_this_thread());
        }
        const time_point until = clock::now() + 1ms;
        co_await async_sleep_until(worker, until, use_awaitable);
        EXPECT_GE(clock::now(), until);
      },
      detached);
  context.run();
  EXPECT_EQ(steps, 100);
}

TEST(AsioCoroutine, GetsAnExceptionWhenTheEngineStops) {
  io_context context;
  engine worker;
  error_code reported;
  co_spawn(
      context,
      [&]() -> awaitable<void> {
        try {
          co_await async_sleep_for(worker, 1h, use_awaitable);
        } catch (const boost::system::system_error& failure) {
          reported = failure.code();
        }
      },
      detached);
  boost::asio::post(context, [&] { worker.stop(); });
  context.run();
  EXPECT_EQ(reported, error::operation_aborted);
}

TEST(AsioCoroutine, IsCancelledThroughTheSlotOfItsSpawn) {
  io_context context;
  engine worker;
  boost::asio::cancellation_signal signal;
  bool ended_by_exception = false;
  error_code reported;
  co_spawn(
      context,
      [&]() -> awaitable<void> {
        co_await async_sleep_for(worker, 1h, boost::asio::redirect_error(use_awaitable, reported));
      },
      boost::asio::bind_cancellation_slot(signal.slot(),
                                          [&](const std::exception_ptr& e) { ended_by_exception = e != nullptr; }));
  boost::asio::post(context, [&] { signal.emit(boost::asio::cancellation_type::terminal); });
  context.run();
  EXPECT_EQ(reported, error::operation_aborted);
  EXPECT_FALSE(ended_by_exception);
}

TEST(AsioCoroutine, IsDestroyedWithAContextThatEndsAfterTheEngine) {
  auto held = std::make_shared<int>();
  {
    io_context context;
    engine worker;
    co_spawn(
        context, [&worker, held]() -> awaitable<void> { co_await async_sleep_for(worker, 1h, use_awaitable); },
        detached);
    context.poll();
    EXPECT_EQ(worker.pending(), 1u);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace detent
