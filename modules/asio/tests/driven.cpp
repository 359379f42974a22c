// SPDX-License-Identifier: MIT
// A server of one thread: its io_context drives the engine, whose timers, sleeps and time limits run there.
#include <detent/asio.hpp>
#include <detent/asio_drive.hpp>
#include <detent/detent.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> nap(detent::engine& engine, int& naps) {
  for (; naps < 3; ++naps) co_await detent::async_sleep_for(engine, 1ms, asio::use_awaitable);
}

int main() {
  asio::io_context io;
  detent::engine engine({.drive = detent::drive_kind::caller});  // no thread of its own
  detent::asio_drive drive(io, engine);
  int beats = 0, naps = 0;
  engine.schedule_at_fixed_rate(1ms, 1ms, [&] { ++beats; });  // runs in io.run(), like everything below
  asio::co_spawn(io, nap(engine, naps), asio::detached);
  io.run();  // returns after the last sleep: plain timers do not keep it
  std::printf("%d naps, %s\n", naps, beats != 0 ? "and beats" : "no beats");
  return naps == 3 && beats != 0 ? 0 : 1;
}
