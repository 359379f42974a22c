// SPDX-License-Identifier: MIT
// Several executors on one engine, what a hand-over reports, and the tag that everything carries.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::eventually;
using testing::holding_executor;

struct two_held {
  std::shared_ptr<holding_executor> a = std::make_shared<holding_executor>(), b = std::make_shared<holding_executor>();
};

TEST(ManyExecutors, EachTimerRunsWhereItSays) {
  two_held of;
  drive::virtual_engine v({.executors = {of.a, of.b}});
  v.engine.schedule_at(at(10), v.note(1), {.executor = of.a.get()});
  v.engine.schedule_at(at(10), v.note(2), {.executor = of.b.get()});
  v.engine.schedule_at(at(10), v.note(3));  // inline
  v.engine.schedule_at_fixed_rate(10ns, 10ns, v.note(4), {.runs = 2, .executor = of.b.get()});
  timer_group on_a(v.engine, of.a.get());
  on_a.schedule_at(at(10), v.note(5));
  on_a.schedule_at(at(10), v.note(6), {.executor = of.b.get()});  // its own wins
  on_a.schedule_at_fixed_rate(10ns, 1h, v.note(7));
  v.poll_at(at(10));
  EXPECT_EQ(v.fired, ids{3});
  EXPECT_EQ(of.a->run_all(), 3u);
  EXPECT_EQ(of.b->run_all(), 3u);
  EXPECT_EQ(v.fired, (ids{3, 1, 5, 7, 2, 4, 6}));
  v.poll_at(at(20));
  EXPECT_EQ(of.b->run_all(), 1u);
}

TEST(ManyExecutors, TheEnginesOwnMayBeNamedToo) {
  two_held of;
  drive::virtual_engine v({.executor = of.a, .executors = {of.b}});
  timer_group on_b(v.engine, of.b.get());
  on_b.schedule_at(at(1), v.note(1));
  on_b.schedule_at(at(2), v.note(2), {.executor = of.a.get()});
  v.engine.schedule_at(at(3), v.note(3));
  v.poll_at(at(3));
  EXPECT_EQ(of.b->run_all(), 1u);
  EXPECT_EQ(of.a->run_all(), 2u);
  EXPECT_EQ(v.fired, (ids{1, 2, 3}));
}

TEST(ManyExecutors, TheDriverMayBeNamedWhicheverThereAre) {
  two_held of;
  of.a->refuse = true;
  drive::virtual_engine v({.executor = of.a, .executors = {of.b}, .on_refusal = refusal_policy::drop});
  v.engine.schedule_at(at(10), v.note(1), {.executor = of.b.get()});
  v.engine.schedule_at(at(10), v.note(2), {.executor = on_driver()});
  timer_group on_it(v.engine, on_driver());
  on_it.schedule_at(at(10), v.note(3));
  v.engine.schedule_at_fixed_rate(10ns, 10ns, v.note(4), {.runs = 2, .executor = on_driver()});
  v.engine.schedule_at(at(10), v.note(5));  // dropped by the first
  v.poll_at(at(10));
  EXPECT_EQ(v.fired, (ids{2, 3, 4}));
  v.poll_at(at(20));
  EXPECT_EQ(v.fired, (ids{2, 3, 4, 4}));
  EXPECT_EQ(of.b->run_all(), 1u);
}

TEST(ManyExecutors, TheDriverMayBeNamedWhereThereAreNone) {
  drive::virtual_engine v;
  v.engine.schedule_at(at(10), v.note(1), {.tag = 7, .executor = on_driver()});
  v.engine.schedule_at(at(10), v.note(2), {.executor = on_driver()});
  timer_group on_it(v.engine, on_driver());
  on_it.schedule_at(at(10), v.note(3));
  v.poll_at(at(10));
  EXPECT_EQ(v.fired, (ids{1, 2, 3}));
}

TEST(ManyExecutors, AsManyAsAnEngineMayHaveAreToldApart) {
  std::vector<std::shared_ptr<holding_executor>> held;
  for (int i = 0; i != 62; ++i) held.push_back(std::make_shared<holding_executor>());
  const auto own = std::make_shared<holding_executor>();
  drive::virtual_engine v({.executor = own, .executors = {held.begin(), held.end()}});
  for (int i = 0; i != 62; ++i) v.engine.schedule_at(at(10), v.note(i), {.executor = held[std::size_t(i)].get()});
  v.engine.schedule_at(at(10), v.note(100), {.executor = on_driver()});
  v.engine.schedule_at(at(10), v.note(101));
  v.poll_at(at(10));
  EXPECT_EQ(v.fired, ids{100});
  EXPECT_EQ(own->run_all(), 1u);
  for (const auto& each : held) EXPECT_EQ(each->run_all(), 1u);
}

TEST(ManyExecutors, AFullOneHoldsUpNoOther) {
  two_held of;
  of.a->refuse = true;
  drive::virtual_engine v({.executors = {of.a, of.b}, .on_refusal = refusal_policy::retry});
  for (int i = 0; i < 10; ++i) {
    v.engine.schedule_at(at(10 + i), v.note(i), {.executor = of.a.get()});
    v.engine.schedule_at(at(10 + i), v.note(100 + i), {.executor = of.b.get()});
  }
  v.poll_at(at(30));
  EXPECT_EQ(of.b->run_all(), 10u);
  of.a->refuse = false;
  v.engine.poll();
  EXPECT_EQ(of.a->run_all(), 10u);
  EXPECT_EQ(v.fired, (ids{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(ManyExecutors, AForeignOneIsRefused) {
  two_held of;
  drive::virtual_engine v({.executors = {of.a}});
  EXPECT_EQ(v.engine.try_schedule_at(at(1), [] {}, {.executor = of.b.get()}).error(), errc::invalid_option);
  EXPECT_THROW(timer_group(v.engine, of.b.get()), error);
  failure problem;
  EXPECT_FALSE(engine::try_create({.executors = {of.a, nullptr}}, problem));
  EXPECT_EQ(problem, errc::invalid_option);
  EXPECT_FALSE(engine::try_create({.executors = std::vector<std::shared_ptr<executor>>(63, of.a)}, problem));
}

TEST(ManyExecutorsPools, RunOnTheirThreads) {
  auto fast = std::make_shared<thread_pool>(thread_pool_options{.name = "fast"});
  auto slow = std::make_shared<thread_pool>(thread_pool_options{.name = "slow"});
  engine e({.executors = {fast, slow}});
  std::atomic<bool> open{false};
  std::atomic<int> runs{0};
  std::atomic<std::thread::id> fast_id{}, worker_id{};
  // The slow one is blocked throughout.
  e.schedule_after(0s, [&] { eventually([&] { return open.load(); }), ++runs; }, {.executor = slow.get()});
  for (int i = 0; i < 100; ++i)
    e.schedule_after(1ms, [&] { fast_id = std::this_thread::get_id(), ++runs; }, {.executor = fast.get()});
  e.schedule_after(1ms, [&] { worker_id = std::this_thread::get_id(), ++runs; });
  EXPECT_TRUE(eventually([&] { return runs == 101; }));
  EXPECT_NE(fast_id.load(), worker_id.load());
  open = true;
  EXPECT_TRUE(eventually([&] { return runs == 102; }));
}

// One that would run inline, and come first, waits for what is handed over with it.
TEST(ManyExecutorsPools, WaitForNoCallbackThatRunsInline) {
  auto pool = std::make_shared<thread_pool>();
  std::atomic<bool> began{false}, ready{false}, ran{false}, came_first{false};
  engine e({.executors = {pool}});
  // It holds the worker until both are scheduled, so that they are due together.
  e.schedule_after(0s, [&] { began = true, eventually([&] { return ready.load(); }); });
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  const time_point due = e.now();
  e.schedule_at(due, [&] { came_first = eventually([&] { return ran.load(); }); });
  e.schedule_at(due + 1ns, [&] { ran = true; }, {.executor = pool.get()});
  ready = true;
  EXPECT_TRUE(eventually([&] { return e.pending() == 0 && came_first; }));
}

// Runs at once what it is given, and counts what is another's.
class sees_whose final : public executor {
 public:
  explicit sees_whose(std::uint64_t own) : own_(own) {}
  bool execute(fired_timer&& work) noexcept override {
    if (const std::uint64_t tag = work.tag(); tag != 0 && tag != own_) ++astray;
    work();
    return true;
  }
  std::atomic<int> astray{0};

 private:
  const std::uint64_t own_;
};

// The last of a batch goes to the engine's own executor, and does not take the others along.
TEST(ManyExecutorsWorker, EachTakesItsOwnOfABatch) {
  auto own = std::make_shared<sees_whose>(1), other = std::make_shared<sees_whose>(2);
  std::atomic<bool> began{false}, ready{false};
  engine e({.executor = own, .executors = {other}});
  // It holds the worker until both are scheduled, so that they are handed over together.
  e.schedule_after(0s, [&] { began = true, eventually([&] { return ready.load(); }); });
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  const time_point due = e.now();
  e.schedule_at(due, [] {}, {.tag = 2, .executor = other.get()});
  e.schedule_at(due + 1ns, [] {});
  ready = true;
  EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
  EXPECT_EQ(own->astray, 0);
}

// While a batch is handed over, its timers are cancelled, and ones for the other executor get their places.
TEST(ManyExecutorsRace, NoTimerGoesWhereItsNeighboursSuccessorBelongs) {
  auto a = std::make_shared<sees_whose>(1), b = std::make_shared<sees_whose>(2);
  engine e({.wait = wait_options::busy(), .executors = {a, b}});
  test::random_source random(test::new_seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<timer> due, later;
    const time_point at = e.now() + 60us;
    for (int i = 0; i < 48; ++i) due.push_back(e.schedule_at(at, [] {}, {.tag = 1, .executor = a.get()}));
    for (const time_point then = at + std::chrono::nanoseconds(random.between(0, 12'000)); e.now() < then;) continue;
    for (timer& each : due) {
      if (each.cancel() == cancel_result::cancelled)
        later.push_back(e.schedule_after(1h, [] {}, {.tag = 2, .executor = b.get()}));
    }
    e.cancel_bulk(later);
  }
  EXPECT_EQ(a->astray, 0);
  EXPECT_EQ(b->astray, 0);
}

TEST(FiredTimer, ReportsWhatItIs) {
  auto held = std::make_shared<holding_executor>();
  drive::virtual_engine v({.executor = held});
  const label urgent = v.engine.make_label("urgent");
  timer_group group(v.engine);
  group.schedule_at(at(10), v.note(1), {.label = urgent, .tag = 77, .lane = 2});
  timer plain = v.engine.schedule_at(at(20), v.note(2));
  v.poll_at(at(20));
  ASSERT_EQ(held->held.size(), 2u);
  const fired_timer &first = held->held[0], &second = held->held[1];
  EXPECT_EQ(first.tag(), 77u);
  EXPECT_EQ(first.label(), urgent);
  EXPECT_EQ(first.lane(), 2);
  EXPECT_EQ(first.deadline(), at(10));
  EXPECT_EQ(first.group(), group.id());
  EXPECT_EQ(second.tag(), 0u);
  EXPECT_EQ(second.label(), label());
  EXPECT_EQ(second.lane(), 0);
  EXPECT_EQ(second.group(), nullptr);
  EXPECT_EQ(second.deadline(), at(20));
  // Cancelled, and its place another's: nothing of that is shown.
  plain.cancel();
  timer other = v.engine.schedule_at(at(30), v.note(3), {.tag = 5, .lane = 1});
  ASSERT_TRUE(drive::in_one_place(plain, other));
  EXPECT_EQ(second.tag(), 0u);
  EXPECT_EQ(second.lane(), 0);
  EXPECT_EQ(second.deadline(), time_point());
}

TEST(Tag, IsKeptByAStraightPeriodicTimerAndReportedOfASlowOne) {
  manual_clock clock;
  std::uint64_t slow = 0, runs = 0;
  engine e({.manual = &clock, .slow_threshold = 1s, .on_slow = [&](const slow_callback& of) { slow = of.tag; }});
  e.schedule_at_fixed_rate(1s, 1s, [&](firing& run) { runs += run.tag() == 9, clock.advance(2s); },
                           {.runs = 2, .tag = 9});
  clock.run_for(10s, e);
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(slow, 9u);
  drive::virtual_engine straight;
  straight.engine.schedule_at_fixed_rate(1s, 1s, [&](firing& run) { runs += run.tag() == 4; }, {.tag = 4});
  straight.clock.run_for(5s, straight.engine);
  EXPECT_EQ(runs, 7u);
}

}  // namespace
}  // namespace detent
