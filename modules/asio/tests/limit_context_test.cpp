// SPDX-License-Identifier: MIT
// Time limits of operations whose context ends before the engine: the operation is destroyed with the context, uncalled
// and once, in each state of the limit; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"
#include "support/joined_thread.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::bind_executor;
using net::io_context;
using net::steady_timer;

// Keeps `held` until it is destroyed, and must not be called.
auto uncalled(const std::shared_ptr<int>& held) {
  return [held](error_code) { FAIL() << "its context has gone"; };
}

class AsioLimitContext : public ::testing::Test {
 protected:
  ~AsioLimitContext() override { EXPECT_EQ(held_.use_count(), 1); }

  drive::virtual_engine rig_;
  engine& engine_ = rig_.engine;
  std::optional<io_context> context_{std::in_place};
  std::optional<steady_timer> slow_{std::in_place, *context_, 1h};
  const std::shared_ptr<int> held_ = std::make_shared<int>();
};

TEST_F(AsioLimitContext, MayEndWhileACancellationIsQueued) {
  slow_->async_wait(cancel_after(engine_, 10ns, uncalled(held_)));
  rig_.poll_at(at(10));
  slow_.reset();
  context_.reset();
  EXPECT_EQ(held_.use_count(), 1);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitContext, MayEndWhileTheOperationAndACancellationAreQueued) {
  slow_->async_wait(cancel_after(engine_, 10ns, uncalled(held_)));
  rig_.poll_at(at(10));
  slow_->cancel();
  slow_.reset();
  context_.reset();
  EXPECT_EQ(held_.use_count(), 1);
}

TEST_F(AsioLimitContext, CancelsTheTimersOfWhatItTakesAlong) {
  slow_->async_wait(cancel_after(engine_, 10ns, uncalled(held_)));
  slow_->async_wait(cancel_after(engine_, 10ns, bind_executor(net::make_strand(*context_), uncalled(held_))));
  slow_->cancel();  // now both are queued
  slow_.reset();
  context_.reset();
  EXPECT_EQ(engine_.pending(), 0u);
  rig_.poll_at(at(10));
}

TEST_F(AsioLimitContext, MayEndBeforeWhatStopReturned) {
  slow_->async_wait(cancel_after(engine_, 10ns, uncalled(held_)));
  slow_->async_wait(cancel_after(engine_, 10ns, uncalled(held_)));
  std::vector<unfired_timer> rest = engine_.stop();
  slow_.reset();
  context_.reset();
  EXPECT_EQ(held_.use_count(), 1);
  ASSERT_EQ(rest.size(), 2u);
  rest[0].run();
}

// Operations that are due wait in the queue of a context that ends, while the engine's thread finds that their time is
// up.
template <class Context, class End>
void end_with_full_queues(int rounds, End&& end) {
  test::random_source random(std::random_device{}());
  const auto held = std::make_shared<int>();
  for (int round = 0; round < rounds; ++round) {
    std::optional<engine> worker(std::in_place);
    std::optional<Context> context(std::in_place, 1);
    std::optional strand(net::make_strand(*context));
    const time_point begin = clock::now() + 1ms;
    const auto soon = [&] { return begin + duration(random.between(0, 60'000)); };
    for (int i = 0; i < 16; ++i) {
      if (i % 2 == 0) {
        net::post(*context, cancel_at(*worker, soon(), [held] {}));
      } else {
        net::post(*strand, cancel_at(*worker, soon(), [held] {}));
      }
    }
    strand.reset();
    for (const time_point end = soon(); clock::now() < end;) {
    }
    end(context, worker);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(AsioLimitContextRaces, AgainstLimitsOfOperationsThatAreQueued) {
  end_with_full_queues<io_context>(150, [](auto& context, auto&) { context.reset(); });
}

TEST(AsioLimitContextRaces, AgainstLimitsOfAPool) {
  end_with_full_queues<net::thread_pool>(50, [](auto& context, auto&) { context.reset(); });
}

TEST(AsioLimitContextRaces, AgainstTheEndOfTheEngine) {
  end_with_full_queues<io_context>(100, [](auto& context, auto& worker) {
    testing::joined_thread other([&] { worker.reset(); });
    context.reset();
  });
}

TEST(AsioLimitContextRaces, AgainstLimitsOfSleeps) {
  const auto held = std::make_shared<int>();
  engine worker;
  for (int round = 0; round < 300; ++round) {
    io_context context;  // destroyed in each round
    for (int i = 0; i < 16; ++i)
      async_sleep_for(worker, i * 2us, cancel_after(worker, i * 3us, bind_executor(context, uncalled(held))));
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace detent
