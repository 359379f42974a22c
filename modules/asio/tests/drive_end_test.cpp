// SPDX-License-Identifier: MIT
// An io_context that drives an engine: how drive, engine and context end, in each order; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "drive_library.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using net::io_context;

struct rig {
  std::optional<io_context> context{std::in_place};
  std::optional<engine> driven{std::in_place, engine_options{.drive = drive_kind::caller}};
  std::optional<asio_drive> drive{std::in_place, *context, *driven, asio_drive_options{.keeps_running = true}};
};

// run() waits for a timer in an hour, until a timer of a millisecond calls this.
void expect_return(const std::function<void(rig&)>& ends_the_engine) {
  rig r;
  int uncalled = 0;
  r.driven->schedule_after(1h, [&] { ++uncalled; });
  r.driven->schedule_after(1ms, [&] { ends_the_engine(r); });
  r.context->run();
  EXPECT_EQ(uncalled, 0);
  EXPECT_TRUE(!r.driven || r.driven->stopped());
}

TEST(AsioDriveEnd, ReturnsFromRunWhenACallbackDestroysTheEngine) {
  expect_return([](rig& r) { r.driven.reset(); });
}

TEST(AsioDriveEnd, ReturnsFromRunWhenAHandlerDestroysOrStopsTheEngine) {
  expect_return([](rig& r) { net::post(*r.context, [&r] { r.driven.reset(); }); });
  expect_return([](rig& r) { net::post(*r.context, [&r] { EXPECT_EQ(r.driven->stop().size(), 1u); }); });
}

// That thread has nothing to do with the context.
TEST(AsioDriveEnd, ReturnsFromRunWhenAnotherThreadStopsTheEngine) {
  rig r;
  r.driven->schedule_after(1h, [] { ADD_FAILURE(); });
  testing::joined_thread other([&] {
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(r.driven->stop().size(), 1u);
  });
  r.context->run();
}

TEST(AsioDriveEnd, ReturnsFromRunWhenTheDriveEnds) {
  for (const bool inside : {true, false}) {
    rig r;
    int fired = 0;
    r.driven->schedule_after(1ms, [&] {
      ++fired;
      if (inside) r.drive.reset();
    });
    std::optional<testing::joined_thread> other;
    if (!inside) {
      other.emplace([&] {
        std::this_thread::sleep_for(2ms);
        r.drive->end();
      });
    }
    r.context->run();
    EXPECT_LE(fired, 1);
  }
}

TEST(AsioDriveEnd, LeavesToAnotherDriveWhatIsPending) {
  rig r;
  int fired = 0;
  r.driven->schedule_after(1ms, [&] { ++fired; });
  r.drive.reset();
  r.context->run();
  EXPECT_EQ(fired, 0);
  EXPECT_EQ(r.driven->pending(), 1u);
  io_context second;
  asio_drive next(second, *r.driven, {.keeps_running = true});
  r.driven->schedule_after(2ms, [&] { next.end(); });
  second.run();
  EXPECT_EQ(fired, 1);
}

TEST(AsioDriveEnd, OutlivesItsContext) {
  rig r;
  int fired = 0;
  r.driven->schedule_after(1ms, [&] {
    ++fired;
    r.context->stop();
  });
  r.driven->schedule_after(1h, [] {});
  r.context->run();
  r.context.reset();
  EXPECT_EQ(r.driven->pending(), 1u);
  r.drive->end();
  r.driven->schedule_after(0ns, [&] { ++fired; });
  r.driven->poll();  // the engine has no driver now
  EXPECT_EQ(fired, 2);
}

TEST(AsioDriveEnd, OutlivesAContextThatNeverRan) {
  rig r;
  r.driven->schedule_after(0ns, [] {});
  r.context.reset();
  r.drive.reset();
  EXPECT_EQ(r.driven->stop().size(), 1u);
}

TEST(AsioDriveEnd, EndsBeforeItsContextRuns) {
  rig r;
  r.drive.reset();
  r.driven.reset();
  int ran = 0;
  net::post(*r.context, [&] { ++ran; });
  r.context->run();
  EXPECT_EQ(ran, 1);
}

TEST(AsioDriveEnd, DrivesAnEngineThatIsMoved) {
  rig r;
  int fired = 0;
  r.driven->schedule_after(1ms, [&] { ++fired; });
  engine moved(std::move(*r.driven));
  r.driven.reset();
  moved.schedule_after(2ms, [&] {
    ++fired;
    r.drive->end();
  });
  r.context->run();
  EXPECT_EQ(fired, 2);
}

TEST(AsioDriveEnd, IsMoved) {
  io_context context;
  engine first({.drive = drive_kind::caller}), second({.drive = drive_kind::caller});
  asio_drive drive(context, first, {.keeps_running = true});
  asio_drive other(context, second, {.keeps_running = true});
  int fired = 0;
  first.schedule_after(1ms, [&] { ++fired; });  // of the drive that the assignment ends
  drive = std::move(other);
  second.schedule_after(3ms, [&] {
    ++fired;
    drive.end();
  });
  context.run();
  EXPECT_EQ(fired, 1);
}

// Each of the three ends may come at any moment of a turn on another thread.
TEST(AsioDriveEnd, MayComeFromAnyThreadAtAnyMoment) {
  for (int round = 0; round < 200; ++round) {
    rig r;
    for (int i = 0; i < 20; ++i)
      r.driven->schedule_after(1us, [](firing& run) { run.rearm_after(std::chrono::microseconds(3)); });
    testing::joined_thread other([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(round));
      if (round % 3 == 0) r.drive.reset();
      if (round % 3 == 1) r.driven.reset();
      if (round % 3 == 2) r.context->stop();
    });
    r.context->run();
    other.join();
    if (round % 2 == 0) r.context.reset();
  }
}

}  // namespace
}  // namespace detent
