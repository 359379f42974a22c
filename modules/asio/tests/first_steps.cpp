// SPDX-License-Identifier: MIT
// Timers that run on an io_context, and coroutines that sleep on an engine.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> nap(detent::engine& engine, int& naps) {
  for (; naps < 3; ++naps) co_await detent::async_sleep_for(engine, 1ms, asio::use_awaitable);
}

int main() {
  asio::io_context io;  // before the engine, so that it outlives it
  detent::engine engine({.executor = detent::asio_executor(io.get_executor())});
  int beats = 0, naps = 0;

  auto work = asio::make_work_guard(io);  // a plain timer does not keep run() from returning; a sleep does
  engine.schedule_at_fixed_rate(1ms, 1ms, [&](detent::firing& f) {
    if (++beats < 3) return;
    f.self().cancel();
    work.reset();
  });
  asio::co_spawn(io, nap(engine, naps), asio::detached);

  io.run();  // all callbacks and the coroutine run here
  std::printf("%d beats, %d naps\n", beats, naps);
  return beats == 3 && naps == 3 ? 0 : 1;
}
