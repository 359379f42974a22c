// SPDX-License-Identifier: MIT
// A read with a timeout, and a sleep that is cancelled by a signal.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cstdio>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;
using asio::use_awaitable;
using stream = asio::local::stream_protocol::socket;

// Whether a byte came, or an error, before the time was over. What has not ended by then is cancelled.
asio::awaitable<bool> answered(detent::engine& engine, stream& from, detent::duration patience) {
  char byte = 0;
  auto first = co_await (asio::async_read(from, asio::buffer(&byte, 1), asio::as_tuple(use_awaitable)) ||
                         detent::async_sleep_for(engine, patience, use_awaitable));
  co_return first.index() == 0;
}

asio::awaitable<void> talk(detent::engine& engine, stream& here, stream& there, int& answers, int& timeouts) {
  bool came = co_await answered(engine, here, 1ms);  // nobody has written yet
  timeouts += came ? 0 : 1;
  co_await asio::async_write(there, asio::buffer("!", 1), use_awaitable);
  came = co_await answered(engine, here, 1h);
  answers += came ? 1 : 0;
}

int main() {
  asio::io_context io;
  detent::engine engine;  // sleeps need no executor of the engine's
  stream here(io), there(io);
  asio::local::connect_pair(here, there);
  int answers = 0, timeouts = 0;
  asio::co_spawn(io, talk(engine, here, there, answers, timeouts), asio::detached);

  asio::cancellation_signal stop;
  boost::system::error_code result;
  detent::async_sleep_for(
      engine, 1h, asio::bind_cancellation_slot(stop.slot(), asio::bind_executor(io, [&](auto ec) { result = ec; })));
  asio::post(io, [&] { stop.emit(asio::cancellation_type::terminal); });  // where the handler runs

  io.run();
  std::printf("%d answers, %d timeouts, the sleep: %s\n", answers, timeouts, result.message().c_str());
  return answers == 1 && timeouts == 1 && result == asio::error::operation_aborted ? 0 : 1;
}
