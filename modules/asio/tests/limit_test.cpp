// SPDX-License-Identifier: MIT
// cancel_after and cancel_at: time limits for operations of Asio's own and for sleeps; compiled for both Asios.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <random>
#include <thread>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::bind_cancellation_slot;
using net::bind_executor;
using net::cancellation_signal;
using net::cancellation_type;
using net::io_context;
namespace error = net::error;
using stream = net::local::stream_protocol::socket;

auto held_by(std::shared_ptr<int> held) {
  return [held = std::move(held)](error_code, std::size_t) { FAIL(); };
}

// The sockets belong to the operation, which ends with its context.
template <class Token>
void read_for_ever(io_context& context, Token&& token) {
  struct sockets {
    explicit sockets(io_context& on) : here(on), there(on) { net::local::connect_pair(here, there); }
    stream here, there;
    char byte = 0;
  };
  auto both = std::make_shared<sockets>(context);
  sockets& used = *both;
  auto condition = [both](error_code, std::size_t) { return std::size_t{1}; };
  net::async_read(used.here, net::buffer(&used.byte, 1), condition, std::forward<Token>(token));
}

// Reads from a socket that stays silent unless answer() is called, on an engine in virtual time.
class AsioLimit : public ::testing::Test {
 protected:
  AsioLimit() { net::local::connect_pair(here_, there_); }

  // A handler without an executor of its own, so the socket's is used.
  auto note() {
    return [this](error_code ec, std::size_t) {
      ++calls_;
      result_ = ec;
    };
  }
  template <class Token>
  void read(Token&& token) {
    net::async_read(here_, net::buffer(&byte_, 1), std::forward<Token>(token));
  }
  void answer() { net::write(there_, net::buffer("!", 1)); }
  void run() {
    context_.restart();
    context_.run();
  }

  drive::virtual_engine rig_;
  io_context context_;
  stream here_{context_}, there_{context_};
  char byte_ = 0;
  int calls_ = 0;
  error_code result_;
};

TEST_F(AsioLimit, CancelsAtTheDeadlineAndNotBefore) {
  read(cancel_after(rig_.engine, 10ns, note()));
  rig_.poll_at(at(9));
  context_.poll();
  EXPECT_EQ(calls_, 0);
  rig_.poll_at(at(10));
  EXPECT_EQ(calls_, 0) << "emitted on the engine's thread";
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::operation_aborted);

  const auto token = cancel_at(rig_.engine, at(30), note());  // copied, as any token may be
  read(token);
  rig_.poll_at(at(29));
  context_.restart();
  context_.poll();
  EXPECT_EQ(calls_, 1);
  rig_.poll_at(at(30));
  run();
  EXPECT_EQ(calls_, 2);
}

TEST_F(AsioLimit, IsCancelledByTheCompletionOfTheOperation) {
  answer();
  read(cancel_after(rig_.engine, 10ns, note()));
  EXPECT_EQ(rig_.engine.pending(), 1u);
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(result_);
  EXPECT_EQ(rig_.engine.pending(), 0u);
}

TEST_F(AsioLimit, ThatIsUpWhenTheOperationHasCompletedDoesNotReachTheNextOne) {
  answer();
  read(cancel_after(rig_.engine, 10ns, [this](error_code first, std::size_t) {
    EXPECT_FALSE(first);
    read(note());  // limited by the same socket
  }));
  rig_.poll_at(at(10));  // the emission is queued after the completion
  context_.poll();
  EXPECT_EQ(calls_, 0);
  answer();
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(result_);
}

TEST_F(AsioLimit, PassesOnCancellationsOfTheHandlersOwnSlot) {
  cancellation_signal outside;
  read(cancel_after(rig_.engine, 10ns, bind_cancellation_slot(outside.slot(), note())));
  net::post(context_, [&] { outside.emit(cancellation_type::terminal); });
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::operation_aborted);
  EXPECT_EQ(rig_.engine.pending(), 0u);

  outside.emit(cancellation_type::terminal);  // reaches no operation any more
  read(cancel_after(rig_.engine, 10ns, bind_cancellation_slot(outside.slot(), note())));
  rig_.poll_at(at(10));
  run();
  EXPECT_EQ(calls_, 2);
}

// An operation that notes what is emitted to it. Its time is up while it runs or, with `early`, before it takes its
// slot.
struct noting_operation {
  io_context& context;
  drive::virtual_engine& rig;
  cancellation_type& emitted;

  template <class Token>
  void start(bool early, Token&& token) {
    net::async_initiate<Token, void(error_code)>(
        [this, early](auto handler) {
          if (early) {
            rig.poll_at(at(10));
            context.restart();
            context.poll();
          }
          net::get_associated_cancellation_slot(handler).assign([&to = emitted](cancellation_type type) { to = type; });
          auto done = std::make_shared<decltype(handler)>(std::move(handler));
          net::post(context, [this, done] {
            rig.poll_at(at(10));
            net::post(context, [done] { std::move (*done)(error_code()); });
          });
        },
        token);
  }
};

TEST_F(AsioLimit, EmitsTheTypeThatWasAskedForThoughTheTimeIsUpBeforeTheOperationHasStarted) {
  for (bool early : {false, true}) {
    drive::virtual_engine rig;
    cancellation_type emitted = cancellation_type::none;
    noting_operation operation{context_, rig, emitted};
    operation.start(
        early, cancel_after(rig.engine, 10ns, bind_executor(context_, [](error_code) {}), cancellation_type::total));
    run();
    EXPECT_EQ(emitted, cancellation_type::total) << "early: " << early;
  }
}

TEST_F(AsioLimit, BreaksAFutureWithAnError) {
  engine worker;
  std::future<std::size_t> got =
      net::async_read(here_, net::buffer(&byte_, 1), cancel_after(worker, 1us, net::use_future));
  run();
  try {
    got.get();
    FAIL() << "no error";
  } catch (const system_error& failure) {
    EXPECT_EQ(failure.code(), error::operation_aborted);
  }
}

// All at the same time, operations start on this thread, complete on the context's, and expire on the engine's.
TEST(AsioLimitRaces, EndEachOperationOnce) {
  test::random_source random(std::random_device{}());
  io_context context;
  auto work = net::make_work_guard(context);
  std::thread runner([&] { context.run(); });
  struct connection {
    explicit connection(io_context& on) : here(on), there(on) { net::local::connect_pair(here, there); }
    stream here, there;
    char byte = 0;
  };
  std::deque<connection> connections;
  for (int i = 0; i < 16; ++i) connections.emplace_back(context);
  engine worker;
  int answered = 0, aborted = 0, others = 0;  // used by the context's thread
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> ended{0};
    for (connection& each : connections) {
      const duration limit(random.between(0, 60'000));
      net::async_read(each.here, net::buffer(&each.byte, 1),
                      cancel_after(worker, limit, [&](error_code ec, std::size_t) {
                        ++(!ec ? answered : ec == error::operation_aborted ? aborted : others);
                        ++ended;
                      }));
    }
    for (connection& each : connections) net::write(each.there, net::buffer("!", 1));
    while (ended < 16) std::this_thread::yield();
    std::array<char, 1> rest{};
    for (connection& each : connections) {  // data that came too late for its read
      if (each.here.available() != 0) net::read(each.here, net::buffer(rest));
    }
  }
  work.reset();
  runner.join();
  EXPECT_EQ(answered + aborted, 16 * 200);
  EXPECT_EQ(others, 0);
  RecordProperty("answered", answered);
  RecordProperty("aborted", aborted);
}

TEST(AsioLimitRaces, AgainstTheEndOfTheContextReachNobody) {
  engine worker;
  auto held = std::make_shared<int>();
  for (int round = 0; round < 300; ++round) {
    auto context = std::make_unique<io_context>();
    read_for_ever(*context, cancel_after(worker, 20us, held_by(held)));
    const time_point until = clock::now() + duration(round * 200);
    while (clock::now() < until) {
    }
    context.reset();
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace detent
