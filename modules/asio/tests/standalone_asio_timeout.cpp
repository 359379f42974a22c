// SPDX-License-Identifier: MIT
// Standalone Asio: a coroutine whose read has a timeout, and a callback of the engine on the same context.
#include <detent/detent.hpp>
#include <detent/standalone_asio.hpp>

#include <asio.hpp>

#include <cstdio>

using namespace std::chrono_literals;
using stream = asio::local::stream_protocol::socket;

asio::awaitable<void> wait_for_a_byte(detent::engine& engine, stream& from, bool& timed_out) {
  char byte = 0;
  std::error_code ec;
  co_await asio::async_read(from, asio::buffer(&byte, 1),
                            detent::cancel_after(engine, 1ms, asio::redirect_error(asio::use_awaitable, ec)));
  timed_out = ec == asio::error::operation_aborted;
  co_await detent::async_sleep_for(engine, 1ms, asio::use_awaitable);
}

int main() {
  asio::io_context io;  // before the engine, so that it outlives it
  detent::engine engine({.executor = detent::asio_executor(io.get_executor())});
  stream here(io), there(io);
  asio::local::connect_pair(here, there);
  bool timed_out = false, called = false;
  engine.schedule_after(100us, [&] { called = true; });
  asio::co_spawn(io, wait_for_a_byte(engine, here, timed_out), asio::detached);
  io.run();
  std::printf("%s, %s\n", timed_out ? "timed out" : "answered", called ? "called" : "not called");
  return timed_out && called ? 0 : 1;
}
