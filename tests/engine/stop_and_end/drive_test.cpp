// SPDX-License-Identifier: MIT
// A stop against a drive that is busy with no callback: it has to wait for that, too.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

// Keeps the polling thread until it is let go, and takes nothing.
class slow_refuser : public executor {
 public:
  bool execute(fired_timer&&) noexcept override {
    entered.test_and_set();
    entered.notify_all();
    release.wait(false);
    left = true;
    return false;
  }
  std::atomic_flag entered, release;
  std::atomic<bool> left{false};
};

TEST(EngineStopDrive, SleepsWhileItWaitsForAPollThatIsInsideTheExecutor) {
  auto slow = std::make_shared<slow_refuser>();
  engine driven({.drive = drive_kind::caller, .executor = slow, .on_refusal = refusal_policy::retry});
  driven.schedule_after(0ns, [] {});
  std::thread poller([&] { driven.poll(); });
  slow->entered.wait(false);
  drive::sleeper stopping;
  std::thread releaser([&] {
    EXPECT_TRUE(stopping.sleeps()) << "it spins, or does not wait";
    EXPECT_TRUE(driven.stopped());
    slow->release.test_and_set();
    slow->release.notify_all();
  });
  stopping.lies_down();
  EXPECT_EQ(driven.stop().size(), 1u);
  EXPECT_TRUE(slow->left.load());
  releaser.join();
  poller.join();
}

}  // namespace
}  // namespace detent
