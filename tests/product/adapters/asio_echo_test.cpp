// SPDX-License-Identifier: MIT
// A TCP server that echoes, and disconnects who was silent for too long: each message restarts its session's timer.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace detent {
namespace {

using namespace std::chrono_literals;
using boost::asio::buffer;
using boost::asio::io_context;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr duration idle_timeout = 400ms;
constexpr std::size_t message_size = 16;

// What the sessions of one server saw.
struct tally {
  int restarts = 0;          // one for each message
  int refused_restarts = 0;  // the timer had fired already
  int timeouts = 0;
  int early = 0;   // timeouts less than the idle time after the last message
  int closed = 0;  // sessions that ended otherwise
};

// One connection. Everything runs on the context's thread, the timer's callback as well.
class session : public std::enable_shared_from_this<session> {
 public:
  session(tcp::socket socket, engine& timers, tally& seen) : socket_(std::move(socket)), timers_(timers), seen_(seen) {}

  void start() {
    last_message_ = clock::now();
    idle_ = timers_.schedule_after(idle_timeout, [self = shared_from_this()] { self->expire(); });
    read();
  }

 private:
  void expire() {
    ++seen_.timeouts;
    seen_.early += clock::now() - last_message_ < idle_timeout ? 1 : 0;
    error_code ignored;  // the peer may have gone
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
  }
  void read() {
    socket_.async_read_some(buffer(data_), [self = shared_from_this()](error_code ec, std::size_t size) {
      if (ec) return self->end();
      self->last_message_ = clock::now();
      ++(self->idle_.restart_after(idle_timeout) ? self->seen_.restarts : self->seen_.refused_restarts);
      self->write(size);
    });
  }
  void write(std::size_t size) {
    boost::asio::async_write(socket_, buffer(data_, size), [self = shared_from_this()](error_code ec, std::size_t) {
      if (ec) return self->end();
      self->read();
    });
  }
  void end() {
    if (idle_.cancel() == cancel_result::cancelled) ++seen_.closed;
  }

  tcp::socket socket_;
  engine& timers_;
  tally& seen_;
  timer idle_;
  time_point last_message_;
  std::array<char, message_size> data_;
};

class server {
 public:
  server(io_context& context, engine& timers)
      : acceptor_(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)), timers_(timers) {}

  tcp::endpoint address() const { return acceptor_.local_endpoint(); }
  // Takes so many connections, and then no more.
  void accept(int left) {
    if (left == 0) return;
    acceptor_.async_accept([this, left](error_code ec, tcp::socket socket) {
      ASSERT_FALSE(ec) << ec.message();
      std::make_shared<session>(std::move(socket), timers_, seen)->start();
      accept(left - 1);
    });
  }

  tally seen;

 private:
  tcp::acceptor acceptor_;
  engine& timers_;
};

// Sends while `more()` holds, one message after the echo of the other; then waits to be disconnected.
template <class More>
class client {
 public:
  client(io_context& context, const tcp::endpoint& to, More more) : socket_(context), more_(more) {
    socket_.connect(to);
    socket_.set_option(tcp::no_delay(true));
  }
  void next() {
    if (!more_()) return wait_for_the_end();
    boost::asio::async_write(socket_, buffer(data_), [this](error_code ec, std::size_t) {
      if (!ec) read();
    });
  }
  bool disconnected() const { return disconnected_; }

 private:
  void read() {
    boost::asio::async_read(socket_, buffer(data_), [this](error_code ec, std::size_t) {
      if (ec) return end();
      next();
    });
  }
  void wait_for_the_end() {
    socket_.async_read_some(buffer(data_), [this](error_code ec, std::size_t) {
      EXPECT_TRUE(ec) << "an echo of nothing";
      end();
    });
  }
  void end() { disconnected_ = true; }

  tcp::socket socket_;
  More more_;
  std::array<char, message_size> data_{};
  bool disconnected_ = false;
};

TEST(AsioEcho, DisconnectsTheIdleAndNobodyBefore) {
  constexpr int busy = 16, idle = 48, at_least = 20'000;
  io_context context(1);
  engine timers({.executor = asio_executor(context.get_executor())});
  server echo(context, timers);
  echo.accept(busy + idle);

  int sent = 0;
  const time_point begin = clock::now();
  auto talk = [&] { return clock::now() - begin < 2s || sent < at_least ? (++sent, true) : false; };
  auto silence = [] { return false; };
  std::vector<std::unique_ptr<client<decltype(talk)>>> talkers;
  std::vector<std::unique_ptr<client<decltype(silence)>>> listeners;
  for (int i = 0; i < busy; ++i)
    talkers.push_back(std::make_unique<client<decltype(talk)>>(context, echo.address(), talk));
  for (int i = 0; i < idle; ++i)
    listeners.push_back(std::make_unique<client<decltype(silence)>>(context, echo.address(), silence));
  for (auto& each : talkers) each->next();
  for (auto& each : listeners) each->next();
  context.run();  // until the last session was disconnected

  const tally& seen = echo.seen;
  EXPECT_EQ(seen.timeouts, busy + idle);
  EXPECT_EQ(seen.early, 0);
  EXPECT_EQ(seen.closed, 0);
  EXPECT_GE(seen.restarts, at_least);
  EXPECT_EQ(seen.restarts + seen.refused_restarts, sent);
  for (auto& each : talkers) EXPECT_TRUE(each->disconnected());
  for (auto& each : listeners) EXPECT_TRUE(each->disconnected());
  const auto rate =
      static_cast<std::int64_t>(seen.restarts / std::chrono::duration<double>(clock::now() - begin).count());
  std::cout << seen.restarts << " restarts, " << rate << " a second\n";
}

}  // namespace
}  // namespace detent
