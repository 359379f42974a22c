// SPDX-License-Identifier: MIT
// Time limits in a parallel_group of Asio's, and of a whole one; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "asio_library.hpp"
#include "parallel_library.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::io_context;
using net::steady_timer;
using net::experimental::wait_for_all;
using net::experimental::wait_for_one;
using net::experimental::wait_for_one_success;

// Two operations of an hour on the real clock, with limits in virtual time.
class AsioLimitParallel : public ::testing::Test {
 protected:
  auto limited(steady_timer& slow, duration limit) {
    return [this, &slow, limit](auto&& token) {
      return slow.async_wait(cancel_after(engine_, limit, std::forward<decltype(token)>(token)));
    };
  }
  auto group_of(duration first, duration second) {
    return net::experimental::make_parallel_group(limited(*slow_[0], first), limited(*slow_[1], second));
  }
  // The group has no executor of its own.
  auto note() {
    return net::bind_executor(*context_, [this](std::array<std::size_t, 2> order, error_code first, error_code second) {
      ++calls_;
      order_ = order;
      EXPECT_EQ(first, net::error::operation_aborted);
      EXPECT_EQ(second, net::error::operation_aborted);
    });
  }
  void run_at(duration when) {
    rig_.poll_at(at(when));
    context_->restart();
    context_->poll();
  }

  drive::virtual_engine rig_;
  engine& engine_ = rig_.engine;
  std::optional<io_context> context_{std::in_place};
  std::unique_ptr<steady_timer> slow_[2] = {std::make_unique<steady_timer>(*context_, 1h),
                                            std::make_unique<steady_timer>(*context_, 1h)};
  int calls_ = 0;
  std::array<std::size_t, 2> order_{};
};

TEST_F(AsioLimitParallel, EndTheGroupThatWaitsForOne) {
  group_of(20ns, 10ns).async_wait(wait_for_one(), note());
  run_at(9ns);
  EXPECT_EQ(calls_, 0);
  run_at(10ns);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(order_, (std::array<std::size_t, 2>{1, 0}));
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitParallel, EndTheirOwnOperationsInAGroupThatWaitsForAll) {
  group_of(20ns, 10ns).async_wait(wait_for_all(), note());
  run_at(10ns);
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(engine_.pending(), 1u);
  run_at(20ns);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AsioLimitParallel, AreNoSuccess) {
  group_of(10ns, 20ns).async_wait(wait_for_one_success(), note());
  run_at(10ns);
  EXPECT_EQ(calls_, 0);
  run_at(20ns);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AsioLimitParallel, EndTheWholeGroup) {
  group_of(1h, 1h).async_wait(wait_for_all(), cancel_after(engine_, 10ns, note()));
  run_at(9ns);
  EXPECT_EQ(calls_, 0);
  run_at(10ns);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitParallel, GoWithTheContext) {
  const auto held = std::make_shared<int>();
  group_of(20ns, 10ns)
      .async_wait(
          wait_for_all(),
          cancel_after(engine_, 30ns,
                       net::bind_executor(*context_, [held](std::array<std::size_t, 2>, error_code, error_code) {
                         FAIL() << "its context has gone";
                       })));
  rig_.poll_at(at(10));
  for (auto& each : slow_) each.reset();
  context_.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitParallel, EndSleepsOfASleeper) {
  sleeper nap(engine_, *context_);
  const auto sleeping = [&](duration limit) {
    return [this, &nap, limit](auto&& token) {
      return nap.async_sleep_for(1h, cancel_after(engine_, limit, std::forward<decltype(token)>(token)));
    };
  };
  net::experimental::make_parallel_group(sleeping(10ns), sleeping(20ns)).async_wait(wait_for_all(), note());
  run_at(10ns);
  EXPECT_EQ(engine_.pending(), 2u) << "of the second: the sleep and its limit";
  run_at(20ns);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent
