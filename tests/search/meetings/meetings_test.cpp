// SPDX-License-Identifier: MIT
// One timer, or a few, and whatever two threads may do to them: each in the middle of the other's.
#include <search/meetings/meeting.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "support/drive_eventually.hpp"

namespace {

using namespace hooks;
using detent::cancel_result;
using detent::firing;
using detent::timer;

// --- A restart

TEST(MeetingsRestart, ToALaterTimeHoldsOrTheTimerHasFired) {
  for (bool filed : {false, true}) {
    meet(4, [filed](meeting& at) {
      scene in;
      timer moved = in.engine.schedule_at(noon + 1ms, in.note());
      if (filed) in.settle();
      bool restarted = false;
      at.hold(in, [&] { restarted = moved.restart_at(noon + 2ms); });
      in.run_to(noon + 1ms);
      at.go_on();
      in.settle();
      EXPECT_EQ(in.runs, restarted ? 0 : 1);
      EXPECT_EQ(in.engine.metrics().restarted, restarted ? 1u : 0u);
      if (restarted) in.expect_runs_at(noon + 2ms);
      in.expect_at_rest();
    });
  }
}

TEST(MeetingsRestart, ToAnEarlierTimeIsTakenNoteOf) {
  for (auto past : {500us, 800us, 1000us}) {
    meet(8, [past](meeting& at) {
      scene in;
      timer moved = in.engine.schedule_at(noon + 1ms, in.note());
      in.settle();
      bool restarted = false;
      at.hold(in, [&] { restarted = moved.restart_at(noon + 500us); });
      in.run_to(noon + past);
      at.go_on();
      in.settle();
      EXPECT_EQ(in.runs, 1);
      EXPECT_TRUE(restarted || past == 1000us);
      in.expect_at_rest();
    });
  }
}

// A worker puts a restarted timer to its place, and drains for that what was armed before. If the timer is restarted
// once more meanwhile, it has to wait for what was armed since.
TEST(MeetingsRestart, OnceMoreOnAWorkerComesAfterWhatItsThreadArmedSince) {
  for (const std::uint8_t lane : {std::uint8_t{0}, std::uint8_t{1}}) {
    bool is_held = true;
    for (std::uint64_t n = 0; is_held; ++n) {
      hooks::begin_holding();
      detent::engine engine({.wait = detent::wait_options::sleep(), .reserve = 0});
      const detent::time_point past = engine.now() - 1ms;
      std::string order;
      std::atomic<bool> ready{false};
      std::atomic<int> runs{0};
      timer moved;
      engine.schedule_after(0ns, [&] {
        moved = engine.schedule_at(past, [&] { hooks::hold_never(), order += 'm', ++runs; }, {.lane = lane});
        EXPECT_TRUE(moved.restart_at(past));
        ready = true;
        hooks::hold_at(n);
      });
      is_held = hooks::wait_held().has_value();
      ASSERT_TRUE(ready);
      engine.schedule_at(past, [&] { order += 'a', ++runs; }, {.lane = lane});
      const bool again = moved.restart_at(past);
      hooks::let_go_on();
      ASSERT_TRUE(detent::drive::eventually([&] { return runs == 2; }));
      ASSERT_EQ(order, again ? "am" : "ma") << "held at " << n;
    }
  }
}

// --- A run on a thread of the executor arms its timer again

struct armed_again : scene {
  armed_again(meeting& at, bool periodic, bool in_group) : scene(true) {
    keeps = true;
    auto run = [this, &at, periodic, here = captures.join()](firing& now) {
      if (++runs != 1) return;
      if (!periodic) now.rearm_after(1ms);
      at.from_here();
    };
    auto schedule = [&](auto& on) {
      return periodic ? on.schedule_at_fixed_rate(0ms, 1ms, std::move(run), {.runs = 2, .label = named})
                      : on.schedule_after(0ms, std::move(run), {.label = named});
    };
    subject = in_group ? schedule(*group) : schedule(engine);
    settle();
    keeps = false;
    at.hold_inside([work = take()]() mutable { work(); });
  }
  detent::label named = engine.make_label("armed again");
  timer subject;
};

void meet_armed_again(const std::function<void(armed_again&, meeting&)>& trial) {
  for (bool periodic : {false, true}) {
    for (bool in_group : {false, true}) {
      meet(10, [&, periodic, in_group](meeting& at) {
        armed_again in(at, periodic, in_group);
        trial(in, at);
      });
    }
  }
}

TEST(MeetingsArmedAgain, CancelledItNeverRunsAgain) {
  meet_armed_again([](armed_again& in, meeting& at) {
    EXPECT_NE(in.subject.cancel(), cancel_result::gone);
    EXPECT_LE(in.engine.pending(), 1u);
    EXPECT_LE(in.engine.metrics(in.named).pending, 1u);
    EXPECT_LE(in.group->pending(), 1u);
    in.settle();
    at.go_on();
    in.run_to(noon + 2ms);
    EXPECT_EQ(in.runs, 1);
    in.expect_at_rest();
  });
}

TEST(MeetingsArmedAgain, RestartedItRunsThenOrElseWhenItWas) {
  meet_armed_again([](armed_again& in, meeting& at) {
    const bool restarted = in.subject.restart_at(noon + 2ms);
    in.settle();
    at.go_on();
    in.expect_runs_at(restarted ? noon + 2ms : noon + 1ms);
    in.run_to(noon + 4ms);
    EXPECT_EQ(in.runs, 2);
    in.expect_at_rest();
  });
}

}  // namespace
