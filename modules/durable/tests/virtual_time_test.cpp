// SPDX-License-Identifier: MIT
// Durable timers in virtual time: without a thread, and a year in no time.
#include "nodes.hpp"

#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace durable_test {
namespace {

using detent::schedule;
using detent::wall_time;

constexpr wall_time new_year{std::chrono::sys_days(std::chrono::year(2027) / 1 / 1)};

class VirtualTime : public testing::Test {
 protected:
  detent::manual_clock clock;
  const detent::durable::virtual_time time{&clock, new_year};
  memory data{4, time};
  detent::engine engine{{.manual = &clock}};
  std::vector<std::string> log;

  void pass(detent::duration length) { clock.run_for(length, engine); }
};

TEST_F(VirtualTime, RunsAYearOfARecurringTimerAtItsTimes) {
  std::vector<wall_time> ran;
  timers on(engine, data.connect(), {.time = time});
  on.handle("report", [&](job& of) {
    EXPECT_EQ(of.due(), new_year + clock.now().time_since_epoch());
    ran.push_back(of.due());
    return outcome::done();
  });
  on.declare("hourly", schedule::quartz("0 0 * * * ?"));
  on.start();
  on.schedule_on("hourly", "report", {}, {.key = "k"});
  pass(24h * 365);
  ASSERT_EQ(ran.size(), 24u * 365u);
  EXPECT_EQ(ran.front(), new_year + 1h);
  EXPECT_EQ(ran.back(), new_year + 24h * 365);
}

// The node writes the end of the first run, which is a retry, before it reads that a timer was kept during that run.
TEST_F(VirtualTime, RunsTheTimerThatWasKeptDuringTheRunAfterItsRetry) {
  timers on(engine, data.connect(), {.time = time}), other(engine, data.connect(), {.time = time});
  std::vector<put_result::kind> answers;
  on.handle("task", [&](job& of) {
    const auto payload = of.payload();
    log.emplace_back(reinterpret_cast<const char*>(payload.data()), payload.size());
    if (log.size() != 1) return outcome::done();
    other.schedule_after(0s, "task", bytes("kept"),
                         {.key = "k", .on_stored = [&](const put_result& its) { answers.push_back(its.what()); }});
    EXPECT_TRUE(other.flush(0s));
    return outcome::retry_after(1ms);
  });
  on.start();
  on.schedule_after(1s, "task", bytes("old"), {.key = "k"});
  pass(10s);
  EXPECT_EQ(answers, std::vector{put_result::kind::kept});
  EXPECT_EQ(log, (std::vector<std::string>{"old", "old", "kept"}));
}

TEST_F(VirtualTime, HoldsRetriesCancelsRestartsAndHandlersThatAsk) {
  timers on(engine, data.connect(), {.time = time});
  const auto note = [&](job& of) {
    log.push_back(std::string(of.key()) + " " + std::to_string(of.attempt()) + " at " +
                  std::to_string(clock.now().time_since_epoch() / 1h));
  };
  on.handle("flaky", [&](job& of) {
    note(of);
    return of.attempt() < 3 ? outcome::retry_after(24h) : outcome::again_after(48h);
  });
  on.handle("once", [&](job& of) {
    note(of);
    return outcome::done();
  });
  on.start();
  on.schedule_after(1h, "flaky", {}, {.key = "f"});
  on.schedule_at(new_year + 2h, "once", {}, {.key = "o"});
  on.schedule_after(3h, "once", {}, {.key = "c"});
  on.restart_at("o", new_year + 5h);
  int answers = 0;
  on.cancel("c", [&](cancel_result its) { answers += its == cancel_result::cancelled; });
  EXPECT_TRUE(on.flush(1s));
  pass(200h);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(log, (std::vector<std::string>{"f 1 at 1", "o 1 at 5", "f 2 at 25", "f 3 at 49", "f 1 at 97", "f 2 at 121",
                                           "f 3 at 145", "f 1 at 193"}));
  EXPECT_EQ(on.list({}).size(), 1u);
}

TEST_F(VirtualTime, GoesOnWithWhatAnEarlierProcessHasLeft) {
  for (int life = 0; life < 3; ++life) {
    timers on(engine, data.connect(), {.time = time});
    on.handle("once", [&](job& of) {
      log.emplace_back(of.key());
      return outcome::done();
    });
    on.start();
    on.schedule_after(36h, "once", {}, {.key = std::to_string(life)});
    pass(24h);
  }
  EXPECT_EQ(log, (std::vector<std::string>{"0", "1"}));
}

// There is no other time in which anything could be done about it.
TEST_F(VirtualTime, HoldsTheFlushThatIsAskedForAndDueTimesBeyondTheHorizon) {
  timers on(engine, data.connect(), {.flush = 5s, .time = time});
  on.handle("once", [&](job& of) {
    log.emplace_back(of.key());
    return outcome::done();
  });
  on.start();
  on.schedule_after(1h, "once", {}, {.key = "soon"});
  pass(1ms);
  on.schedule_after(24h * 365 * 60, "once", {}, {.key = "late"});
  pass(2h);
  EXPECT_EQ(log, (std::vector<std::string>{"soon"}));
  pass(24h * 365 * 61);
  EXPECT_EQ(log, (std::vector<std::string>{"soon", "late"}));
}

TEST_F(VirtualTime, TriesAgainSoonWhatAnExecutorRefuses) {
  int asked = 0;
  timers on(engine, data.connect(), {.time = time});
  on.handle("once",
            [&](job& of) {
              log.emplace_back(of.key());
              return outcome::done();
            },
            {.executor = [&](auto call) {
              if (asked++ == 0) throw std::runtime_error("full");
              call();
            }});
  on.start();
  on.schedule_after(1h, "once", {}, {.key = "k"});
  pass(1h + 1s);
  EXPECT_EQ(log, (std::vector<std::string>{"k"}));
}

void destroy_in_a_callback() {
  detent::manual_clock clock;
  const virtual_time time{&clock, new_year};
  memory data(1, time);
  detent::engine engine({.manual = &clock});
  auto on = std::make_unique<timers>(engine, data.connect(), options{.time = time});
  on->schedule_after(1h, "any", {}, {.on_stored = [&](const put_result&) { on.reset(); }});
  clock.run_for(1s, engine);
}

TEST(VirtualTimeDeathTest, IsNotDestroyedByItsCallbacks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(destroy_in_a_callback(), "destroyed by a callback on their own thread");
}

}  // namespace
}  // namespace durable_test
