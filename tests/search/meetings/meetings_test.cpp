// SPDX-License-Identifier: MIT
// One timer, or a few, and whatever two threads may do to them: each in the middle of the other's.
#include <search/meetings/meeting.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

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

// Where both take effect, the deadline is that of the one which came last, and of it alone.
TEST(MeetingsRestart, OfTwoTheLastOneHolds) {
  for (auto others : {500us, 2000us, 8000us}) {
    meet(8, [others](meeting& at) {
      scene in;
      timer moved = in.engine.schedule_at(noon + 4ms, in.note());
      in.settle();
      at.hold(in, [&] { EXPECT_TRUE(moved.restart_at(noon + 1ms)); });
      EXPECT_TRUE(moved.restart_at(noon + others));
      in.settle();
      const bool goes_first = in.engine.list_pending().at(0).deadline == noon + 1ms;
      EXPECT_FALSE(goes_first);
      at.go_on();
      const detent::time_point due = in.engine.list_pending().at(0).deadline;
      EXPECT_TRUE(due == noon + 1ms || due == noon + others);
      in.expect_runs_at(due);
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

// Of many that are due at one instant, and fire as they lie in the wheel, until one of them is to come first.
TEST(MeetingsRestart, OfOneOfManyThatFireTogetherBesideItsCancel) {
  meet(60, [](meeting& at) {
    scene in;
    int runs = 0;
    std::array<timer, 12> all;
    const std::vector<detent::time_point> deadlines(all.size(), noon + 1ms);
    const auto each = [&](std::size_t i) {
      ++runs;
      if (i == 0) all[6].restart_at(noon);
    };
    in.engine.schedule_at_bulk(deadlines, each, all);
    in.settle();
    in.clock.advance(1ms);
    at.hold(in, [&] { in.engine.poll(); });
    const bool cancelled = all[6].cancel() == cancel_result::cancelled;
    at.go_on();
    in.engine.poll();
    EXPECT_EQ(runs, cancelled ? 11 : 12);
    in.expect_at_rest();
  });
}

// --- A cancel

// In each state that a pending timer has, with something to destroy and without.
struct cancelled_case {
  bool owning, filed, handed_over;
};
constexpr std::array<cancelled_case, 5> cancelled_cases{
    {{false, false, false}, {true, false, false}, {false, true, false}, {true, true, false}, {true, true, true}}};

struct to_cancel : scene {
  explicit to_cancel(const cancelled_case& of) : scene(of.handed_over) {
    keeps = true;
    const detent::time_point due = of.handed_over ? noon : noon + 1ms;
    subject = of.owning ? engine.schedule_at(due, note()) : engine.schedule_at(due, [this] { ++runs; });
    if (of.filed) settle();
    keeps = false;
  }
  timer subject;
};

TEST(MeetingsCancel, EndsTheTimerOrItHasFired) {
  for (const cancelled_case& each : cancelled_cases) {
    meet(3, [&each](meeting& at) {
      to_cancel in(each);
      cancel_result reported{};
      at.hold(in, [&] { reported = in.subject.cancel(); });
      in.run_to(noon + 1ms);
      if (each.handed_over) in.executor->run_all();
      at.go_on();
      in.run_to(noon + 2ms);
      EXPECT_EQ(reported, in.runs == 0 ? cancel_result::cancelled : cancel_result::gone);
      EXPECT_LE(in.runs, 1);
      in.expect_at_rest();
    });
  }
}

TEST(MeetingsCancel, OrARestartComesFirstAndNothingRuns) {
  for (const cancelled_case& each : cancelled_cases) {
    for (bool cancels : {false, true}) {
      meet(2, [&each, cancels](meeting& at) {
        to_cancel in(each);
        auto cancel = [&in] { EXPECT_EQ(in.subject.cancel(), cancel_result::cancelled); };
        auto restart = [&in] { in.subject.restart_at(noon + 500us); };
        cancels ? at.hold(in, cancel) : at.hold(in, restart);
        cancels ? restart() : cancel();
        if (!each.handed_over) in.settle();
        at.go_on();
        in.run_to(noon + 2ms);
        EXPECT_EQ(in.runs, 0);
        in.expect_at_rest();
      });
    }
  }
}

TEST(MeetingsCancel, OfTwoOneEndsIt) {
  for (const cancelled_case& each : cancelled_cases) {
    meet(3, [&each](meeting& at) {
      to_cancel in(each);
      std::array<timer, 2> both{in.subject, in.engine.schedule_at(noon + 1ms, in.note())};
      std::size_t ended = 0;
      at.hold(in, [&] { ended = in.engine.cancel_bulk(both); });
      const std::size_t here = in.subject.cancel() == cancel_result::cancelled ? 1 : 0;
      in.settle();
      at.go_on();
      EXPECT_EQ(ended + here, 2u);
      in.run_to(noon + 2ms);
      EXPECT_EQ(in.runs, 0);
      in.expect_at_rest();
    });
  }
}

// --- The driver is the one in the middle

TEST(MeetingsDriver, HandlesWhatIsChangedMeanwhile) {
  meet(100, [](meeting& at) {
    scene in;
    std::array<std::atomic<int>, 4> ran{};
    auto count = [&](std::size_t which) { return [&ran, which, here = in.captures.join()] { ++ran.at(which); }; };
    timer cancelled = in.engine.schedule_at(noon + 1ms, count(0));
    timer moved = in.engine.schedule_at(noon + 1ms, count(1));
    timer hurried = in.engine.schedule_at(noon + 1h, count(2));
    in.settle();
    in.clock.advance(1ms);
    at.hold(in, [&] { in.look(); });
    const cancel_result reported = cancelled.cancel();
    const bool held_back = moved.restart_at(noon + 2ms);
    EXPECT_TRUE(hurried.restart_at(noon + 3ms));
    in.engine.schedule_at(noon + 2ms, count(3));
    at.go_on();
    EXPECT_EQ(ran[0], reported == cancel_result::cancelled ? 0 : 1);
    EXPECT_EQ(ran[1], held_back ? 0 : 1);
    EXPECT_EQ(ran[2] + ran[3], 0);
    in.run_to(noon + 2ms);
    EXPECT_EQ(ran[1] + ran[2] + ran[3], 2);
    in.run_to(noon + 3ms);
    EXPECT_EQ(ran[1] + ran[2] + ran[3], 3);
    in.expect_at_rest();
  });
}

// As it hands over what has come due.
TEST(MeetingsDriver, HandsOverWhatIsNotChangedMeanwhile) {
  meet(60, [](meeting& at) {
    scene in(true);
    in.keeps = true;
    timer cancelled = in.engine.schedule_at(noon + 1ms, in.note());
    timer moved = in.engine.schedule_at(noon + 1ms, in.note());
    in.settle();
    in.clock.advance(1ms);
    at.hold(in, [&] { in.look(); });
    EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
    EXPECT_TRUE(moved.restart_at(noon + 2ms));
    at.go_on();
    in.keeps = false;
    in.executor->run_all();
    in.expect_runs_at(noon + 2ms);
    in.expect_at_rest();
  });
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
