// SPDX-License-Identifier: MIT
// One engine, one program, and both Asios.
#include <detent/asio.hpp>
#include <detent/detent.hpp>
#include <detent/standalone_asio.hpp>

#include <asio/bind_executor.hpp>
#include <asio/io_context.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <utility>

using namespace std::chrono_literals;

// Sleeps for an hour under a time limit. Returns whether the limit ended it.
template <class Context, class Sleep>
bool limited(Context& context, const Sleep& sleep) {
  bool aborted = false;
  sleep([&aborted](const auto& ec) { aborted = static_cast<bool>(ec); });
  context.run();
  return aborted;
}

int main() {
  boost::asio::io_context boost_io;
  asio::io_context io;
  detent::engine engine;

  const bool boost_ended = limited(boost_io, [&](auto handler) {
    detent::boost_asio::async_sleep_for(
        engine, 1h,
        detent::boost_asio::cancel_after(engine, 1ms, boost::asio::bind_executor(boost_io, std::move(handler))));
  });
  const bool ended = limited(io, [&](auto handler) {
    detent::standalone_asio::async_sleep_for(
        engine, 1h, detent::standalone_asio::cancel_after(engine, 1ms, asio::bind_executor(io, std::move(handler))));
  });
  std::printf("%d %d\n", boost_ended, ended);
  return boost_ended && ended ? 0 : 1;
}
