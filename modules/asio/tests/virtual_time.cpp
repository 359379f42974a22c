// SPDX-License-Identifier: MIT
// A test of a server with time-outs that takes no time: its context and its engine are in virtual time.
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

// Under test: sends a heartbeat every 30 seconds, and gives up after an hour.
asio::awaitable<void> session(detent::engine& engine, int& heartbeats, bool& closed) {
  const detent::time_point end = engine.now() + 1h;
  while (engine.now() < end) {
    co_await detent::async_sleep_for(engine, 30s, asio::use_awaitable);
    ++heartbeats;
  }
  closed = true;
}

int main() {
  asio::io_context io;
  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  int heartbeats = 0;
  bool closed = false;
  asio::co_spawn(io, session(engine, heartbeats, closed), asio::detached);

  detent::asio_run_for(io, clock, 30min, engine);
  const bool half = heartbeats == 60 && !closed;
  detent::asio_run_until(io, clock, detent::time_point::max(), engine);  // runs everything there is
  std::printf("%d heartbeats, %s\n", heartbeats, closed ? "closed" : "open");
  return half && heartbeats == 120 && closed ? 0 : 1;
}
