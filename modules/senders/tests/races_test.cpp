// SPDX-License-Identifier: MIT
// A stop request, the firing, the end of the engine and start() itself, all at once: one of them completes, once, and
// no thread touches the operation or the engine afterwards.
#include <detent/senders.hpp>
#include <detent/thread_pool.hpp>

#include <gtest/gtest.h>

#include "noted_receiver.hpp"

#include <atomic>
#include <memory>
#include <random>

namespace detent::testing {
namespace {

using namespace std::chrono_literals;

class SendersRaces : public ::testing::Test {
 protected:
  static constexpr int rounds = 1500;

  // Returns a time from 0 to `most`, so that each of the threads that meet here comes first now and then.
  duration some(duration most) {
    return duration(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
  }
  void pause(duration time) {
    for (const time_point end = clock::now() + time; clock::now() < end;) {
    }
  }
  int ended(outcome how) const { return count_[static_cast<std::size_t>(how)]; }
  void count(const note& one) {
    ASSERT_EQ(one.times(), 1);
    ++count_[static_cast<std::size_t>(one.how())];
  }
  void TearDown() override { EXPECT_EQ(ended(outcome::error), 0) << "seed " << seed_; }

  const std::uint32_t seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  int count_[4] = {};
};

TEST_F(SendersRaces, StopRequestMeetsFiring) {
  engine pooled{engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})}};
  engine direct;
  for (int i = 0; i < rounds; ++i) {
    const scheduler on(i % 2 == 0 ? pooled : direct);
    note end;
    std::stop_source source;
    {
      auto waiting = connect_new(on.schedule_after(some(40us)), end, token_of(source));
      std::thread asks([&, after = some(60us)] {
        pause(after);
        source.request_stop();
      });
      ex::start(*waiting);
      end.wait();
      waiting.reset();  // the thread that completed it no longer uses it
      asks.join();
    }
    count(end);
  }
  EXPECT_GT(ended(outcome::value), 0);
  EXPECT_GT(ended(outcome::stopped), 0);
}

TEST_F(SendersRaces, StopRequestMeetsStartAndTheEndOfTheEngine) {
  for (int i = 0; i < rounds / 5; ++i) {
    auto ending = std::make_unique<engine>();
    const scheduler on(*ending);
    note ends[2];
    std::stop_source source;
    auto with_token = connect_new(on.schedule_after(some(40us)), ends[0], token_of(source));
    auto without = connect_new(on.schedule_after(some(40us)), ends[1]);
    std::thread asks([&, after = some(60us)] {
      pause(after);
      source.request_stop();
    });
    std::thread stops([&, after = some(80us)] {
      pause(after);
      ending->stop();
    });
    ex::start(*with_token);
    ex::start(*without);
    for (const note& each : ends) each.wait();
    with_token.reset();
    without.reset();
    stops.join();
    ending.reset();
    asks.join();
    for (const note& each : ends) count(each);
  }
  EXPECT_GT(ended(outcome::stopped), 0);
}

// The operation completes before start() has returned, and the engine ends at that moment.
TEST_F(SendersRaces, TheEngineMayEndAsSoonAsItsOperationHasCompleted) {
  for (int i = 0; i < rounds / 5; ++i) {
    auto ending = std::make_unique<engine>();
    note end;
    std::stop_source source;
    auto waiting = connect_new(scheduler(*ending).schedule_after(some(20us)), end, token_of(source));
    std::thread starts([&] { ex::start(*waiting); });
    std::thread asks([&, after = some(40us)] {
      pause(after);
      source.request_stop();
    });
    end.wait();
    ending.reset();
    asks.join();
    starts.join();
    count(end);
  }
}

}  // namespace
}  // namespace detent::testing
