// SPDX-License-Identifier: MIT
// A read with a timeout, one that shares the deadline of its caller, and a sleep that is cancelled by a signal.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cstdio>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::as_tuple, asio::use_awaitable;
using detent::cancel_after, detent::cancel_at;
using stream = asio::local::stream_protocol::socket;

asio::awaitable<void> talk(detent::engine& engine, stream& here, stream& there, int& answers, int& timeouts) {
  char byte = 0;
  const auto buffer = asio::buffer(&byte, 1);

  // The peer has not written yet: the read is cancelled after a millisecond.
  auto [ec, got] = co_await asio::async_read(here, buffer, cancel_after(engine, 1ms, as_tuple(use_awaitable)));
  timeouts += ec == asio::error::operation_aborted ? 1 : 0;

  // One deadline for both steps; without as_tuple, a timeout is an exception.
  const detent::time_point deadline = engine.now() + 1h;
  co_await asio::async_write(there, asio::buffer("!", 1), cancel_at(engine, deadline, use_awaitable));
  answers += co_await asio::async_read(here, buffer, cancel_at(engine, deadline, use_awaitable)) == 1 ? 1 : 0;
}

int main() {
  asio::io_context io;
  detent::engine engine;  // sleeps and time limits need no executor of the engine's
  stream here(io), there(io);
  asio::local::connect_pair(here, there);
  int answers = 0, timeouts = 0;
  asio::co_spawn(io, talk(engine, here, there, answers, timeouts), asio::detached);

  asio::cancellation_signal stop;
  boost::system::error_code reported;
  detent::async_sleep_for(
      engine, 1h, asio::bind_cancellation_slot(stop.slot(), asio::bind_executor(io, [&](auto ec) { reported = ec; })));
  asio::post(io, [&] { stop.emit(asio::cancellation_type::terminal); });  // where the handler runs

  io.run();
  std::printf("%d answers, %d timeouts, the sleep: %s\n", answers, timeouts, reported.message().c_str());
  return answers == 1 && timeouts == 1 && reported == asio::error::operation_aborted ? 0 : 1;
}
