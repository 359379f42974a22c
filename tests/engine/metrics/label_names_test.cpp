// SPDX-License-Identifier: MIT
// Labels themselves: their names, whose they are, how many there may be, and threads that make them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::problem_of;

TEST(EngineLabelNames, TheDefaultIsNone) {
  EXPECT_EQ(label().name(), "");
  EXPECT_EQ(label(), label());
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(1), [] {});
  EXPECT_EQ(rig.engine.metrics(label()).scheduled, 0u);
}

TEST(EngineLabelNames, TheSameNameIsTheSameLabel) {
  drive::virtual_engine rig, other;
  std::string name = "orders";
  const label first = rig.engine.make_label(name);
  name[0] = 'x';
  EXPECT_EQ(first.name(), "orders");
  EXPECT_EQ(rig.engine.make_label("orders"), first);
  EXPECT_NE(rig.engine.make_label("order"), first);
  EXPECT_NE(other.engine.make_label("orders"), first);
  EXPECT_NE(first, label());
}

TEST(EngineLabelNames, OneTo63Bytes) {
  drive::virtual_engine rig;
  for (const std::string& bad : {std::string(), std::string(64, 'a'), std::string(100'000, 'a')}) {
    const auto problem = problem_of([&] { rig.engine.make_label(bad); });
    EXPECT_EQ(problem.code, errc::invalid_option) << bad.size();
    EXPECT_TRUE(problem.names("1 to 63 bytes")) << problem.what;
  }
  EXPECT_EQ(rig.engine.make_label(std::string(63, 'a')).name(), std::string(63, 'a'));
  EXPECT_EQ(rig.engine.make_label("a").name(), "a");
}

TEST(EngineLabelNames, ThereAre255) {
  drive::virtual_engine rig;
  std::vector<label> made;
  for (int i = 0; i < 255; ++i) made.push_back(rig.engine.make_label("label " + std::to_string(i)));
  const auto problem = problem_of([&] { rig.engine.make_label("one more"); });
  EXPECT_EQ(problem.code, errc::capacity_exceeded);
  EXPECT_TRUE(problem.names("one more")) << problem.what;
  EXPECT_EQ(rig.engine.make_label("label 254"), made.back());
  for (const label& each : made) rig.engine.schedule_at(at(10), [] {}, {.label = each});
  rig.poll_at(at(10));
  for (const label& each : made) EXPECT_EQ(rig.engine.metrics(each).expired, 1u) << each.name();
}

TEST(EngineLabelNames, AnothersLabelIsRefused) {
  drive::virtual_engine rig, other;
  const label theirs = other.engine.make_label("theirs");
  timer_group group(rig.engine);
  std::array<time_point, 2> deadlines{at(1), at(2)};
  auto refused = [](auto&& call) {
    const auto problem = problem_of(call);
    EXPECT_EQ(problem.code, errc::invalid_option);
    EXPECT_TRUE(problem.names("label = \"theirs\": belongs to another engine; ")) << problem.what;
  };
  refused([&] { rig.engine.schedule_at(at(1), [] {}, {.label = theirs}); });
  refused([&] { rig.engine.schedule_after(1ns, [] {}, {.label = theirs}); });
  refused([&] { rig.engine.schedule_after(1ns, std::stop_source().get_token(), [] {}, {.label = theirs}); });
  refused([&] { rig.engine.schedule_at_fixed_rate(1ns, 1ns, [] {}, {.label = theirs}); });
  refused([&] { rig.engine.schedule_with_fixed_delay(1ns, 1ns, [] {}, {.label = theirs}); });
  refused([&] { rig.engine.schedule_at_bulk(deadlines, [](std::size_t) {}, {}, {.label = theirs}); });
  refused([&] { group.schedule_at(at(1), [] {}, {.label = theirs}); });
  refused([&] { group.schedule_at_fixed_rate(1ns, 1ns, [] {}, {.label = theirs}); });
  refused([&] { group.schedule_with_fixed_delay(1ns, 1ns, [] {}, {.label = theirs}); });
  EXPECT_FALSE(rig.engine.try_schedule_at(at(1), [] {}, {.label = theirs}));
  EXPECT_FALSE(rig.engine.try_schedule_at_fixed_rate(1ns, 1ns, [] {}, {.label = theirs}));
  EXPECT_FALSE(group.try_schedule_at(at(1), [] {}, {.label = theirs}));
  EXPECT_FALSE(group.try_schedule_after(1ns, [] {}, {.label = theirs}));
  EXPECT_EQ(rig.engine.pending(), 0u);
  EXPECT_EQ(rig.engine.metrics().scheduled, 0u);
  // Nor are its numbers those of the engine's own first label.
  rig.engine.schedule_at(at(1), [] {}, {.label = rig.engine.make_label("mine")});
  EXPECT_EQ(rig.engine.metrics(theirs).scheduled, 0u);
}

TEST(EngineLabelNames, ANameOutlivesItsEngine) {
  label made;
  {
    drive::virtual_engine rig;
    made = rig.engine.make_label("for ever");
  }
  EXPECT_EQ(made.name(), "for ever");
}

TEST(EngineLabelNames, ALabelGoesWithItsEngineThatMoves) {
  manual_clock time;
  engine first({.manual = &time});
  const label mine = first.make_label("mine");
  engine second(std::move(first));
  second.schedule_at(at(1), [] {}, {.label = mine});
  EXPECT_EQ(second.metrics(mine).scheduled, 1u);
  EXPECT_EQ(second.make_label("mine"), mine);
}

TEST(EngineLabelNames, ThreadsMakeAndUseThem) {
  engine e;
  constexpr int threads = 4, rounds = 40, each = 25;
  testing::on_threads(threads, [&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const label shared = e.make_label("label " + std::to_string(i));
      const label own = e.make_label("thread " + std::to_string(t));
      for (int k = 0; k < each; ++k) {
        timer soon = e.schedule_after(duration(k * 1'000), [] {}, {.label = shared});
        timer later = e.schedule_after(1h, [] {}, {.label = own});
        if (k % 3 == 0) soon.restart_after(1us);
        if (k % 5 == 0) soon.cancel();
        later.cancel();
      }
      EXPECT_EQ(e.metrics(own).pending, 0u);
      EXPECT_EQ(e.metrics(own).cancelled, std::uint64_t(i + 1) * each);
    }
  });
  ASSERT_TRUE(eventually([&] { return e.pending() == 0; }));
  e.stop();
  const engine_metrics whole = e.metrics();
  std::uint64_t scheduled = 0, cancelled = 0, expired = 0, fired = 0, restarted = 0;
  auto add = [&](const std::string& name) {
    const engine_metrics part = e.metrics(e.make_label(name));
    EXPECT_EQ(part.scheduled, part.expired + part.cancelled) << name;
    EXPECT_EQ(part.pending, 0u) << name;
    scheduled += part.scheduled, cancelled += part.cancelled, expired += part.expired;
    fired += part.fired, restarted += part.restarted;
  };
  for (int i = 0; i < rounds; ++i) add("label " + std::to_string(i));
  for (int t = 0; t < threads; ++t) add("thread " + std::to_string(t));
  EXPECT_EQ(scheduled, std::uint64_t{2} * threads * rounds * each);
  EXPECT_EQ(scheduled, whole.scheduled);
  EXPECT_EQ(cancelled, whole.cancelled);
  EXPECT_EQ(expired, whole.expired);
  EXPECT_EQ(fired, whole.fired);
  EXPECT_EQ(restarted, whole.restarted);
}

}  // namespace
}  // namespace detent
