// SPDX-License-Identifier: MIT
// No memory is asked for by a sleep in the steady state, with a cancellation slot or without; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "asio_library.hpp"
#include "support/drive_allocations.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using net::io_context;

// Sleeps one after the other, each begun by the handler of the last.
template <class Executor>
class sleeping_chain {
 public:
  sleeping_chain(engine& on, const Executor& ex) : on_(on), ex_(ex) {}

  void next() {
    if (left_ == counted) before_ = drive::allocations();
    if (left_-- == 0) {
      asked_ = drive::allocations() - before_;
      return;
    }
    async_sleep_for(on_, 1us,
                    net::bind_cancellation_slot(signal_.slot(), net::bind_executor(ex_, [this](error_code ec) {
                                                  EXPECT_FALSE(ec);
                                                  next();
                                                })));
  }
  // Bytes that were allocated while the last of them were at work.
  std::uint64_t asked() const noexcept { return asked_; }

 private:
  static constexpr int counted = 300;

  engine& on_;
  const Executor ex_;
  net::cancellation_signal signal_;
  int left_ = 2 * counted;
  std::uint64_t before_ = 0, asked_ = 0;
};

template <class Executor>
std::uint64_t asked_by_sleeps(io_context& context, const Executor& ex) {
  engine worker({.reserve = 1024});
  sleeping_chain<Executor> chain(worker, ex);
  net::post(context, [&] { chain.next(); });
  context.restart();
  context.run();
  return chain.asked();
}

TEST(AsioSleepMemory, NoneIsAskedForInTheSteadyState) {
  io_context context;
  EXPECT_EQ(asked_by_sleeps(context, context.get_executor()), 0u);
  EXPECT_EQ(asked_by_sleeps(context, net::any_io_executor(context.get_executor())), 0u);
  EXPECT_EQ(asked_by_sleeps(context, net::make_strand(context)), 0u);
  EXPECT_EQ(asked_by_sleeps(context, net::any_io_executor(net::make_strand(context))), 0u);
}

TEST(AsioSleepMemory, ManyAtOnceLeaveTheirBlocksForAsManyOthers) {
  io_context context;
  engine worker({.reserve = 4096});
  const auto sleep_all = [&] {
    for (int i = 0; i < 500; ++i) async_sleep_for(worker, 1us, net::bind_executor(context, [](error_code) {}));
    context.restart();
    context.run();
  };
  sleep_all();
  sleep_all();
  const std::uint64_t before = drive::allocations();
  sleep_all();
  EXPECT_EQ(drive::allocations() - before, 0u);
}

}  // namespace
}  // namespace detent
