// SPDX-License-Identifier: MIT
// A session that goes while its timer is due and waits in the context's queue: the timer never runs.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <optional>

namespace asio = boost::asio;
using namespace std::chrono_literals;

class session {
 public:
  session(detent::engine& engine, int& closed)
      : closed_(closed), idle_(engine.schedule_after(30s, [this] { ++closed_; })) {}  // no shared_from_this()
  ~session() { idle_.cancel(); }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void on_message() { idle_.restart_after(30s); }  // moves the timer, even if it waits in the queue already

 private:
  int& closed_;
  detent::timer idle_;
};

int main() {
  asio::io_context io;
  detent::manual_clock clock;  // so that the example does not take 30 seconds
  detent::engine engine({.manual = &clock, .executor = detent::asio_executor(io.get_executor())});
  int closed = 0;
  std::optional<session> goes(std::in_place, engine, closed), stays(std::in_place, engine, closed);
  stays->on_message();
  clock.advance(30s);
  engine.poll();  // posts both
  goes.reset();
  io.run();
  std::printf("%d closed\n", closed);
  return closed == 1 ? 0 : 1;
}
