// SPDX-License-Identifier: MIT
// Timers that come due together are offered to an executor together and in order, no matter what the executor does with
// them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;
using testing::eventually;
using testing::moody_executor;

// Takes at most `most` of each offer; runs them at once if `inline_runs`, else keeps them.
class batch_executor final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    ++singles;
    return take(std::move(work));
  }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override {
    offers.push_back(work.size());
    std::size_t taken = 0;
    while (taken < std::min(work.size(), most) && take(std::move(work[taken]))) ++taken;
    offered += taken + (taken < work.size() ? 1 : 0);  // what comes after a refusal is offered again
    return taken;
  }
  void run_all() {
    for (; !held.empty(); held.pop_front()) held.front()();
  }

  std::size_t most = SIZE_MAX, room = SIZE_MAX;
  bool inline_runs = false;
  std::vector<std::size_t> offers;
  int singles = 0;
  std::atomic<std::size_t> offered{0};  // the others are read when the engine has stopped
  std::deque<fired_timer> held;

 private:
  bool take(fired_timer&& work) noexcept {
    if (held.size() == room) return false;
    if (inline_runs) {
      work();
    } else {
      held.push_back(std::move(work));
    }
    return true;
  }
};

ids counted(int count) {
  ids numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct batched {
  explicit batched(refusal_policy policy = refusal_policy::run_inline)
      : rig({.executor = batches, .on_refusal = policy}) {}
  void schedule(int count, std::int64_t deadline = 10) {
    for (int id = 0; id < count; ++id) rig.engine.schedule_at(at(deadline), rig.note(id));
  }
  std::shared_ptr<batch_executor> batches = std::make_shared<batch_executor>();
  drive::virtual_engine rig;
};

// On a worker: poll() offers one by one, as an executor that runs each at once must not see what its callbacks cancel.
struct on_worker {
  explicit on_worker(refusal_policy policy = refusal_policy::run_inline)
      : engine({.wait = wait_options::sleep(), .executor = batches, .on_refusal = policy}) {}
  // Schedules as many at one instant, and waits until each has been offered.
  void offer(int count) {
    const time_point due = clock::now() + 1s;  // all of them are scheduled by then
    for (int id = 0; id < count; ++id) engine.schedule_at(due, [this, id] { fired.push_back(id); });
    ASSERT_TRUE(eventually([&] { return batches->offered == static_cast<std::size_t>(count); }));
    left = engine.stop();
  }
  std::shared_ptr<batch_executor> batches = std::make_shared<batch_executor>();
  ids fired;
  std::vector<unfired_timer> left;
  detent::engine engine;
};

TEST(EngineExecuteMany, OffersWhatIsDueTogetherInOrder) {
  on_worker w;
  w.batches->inline_runs = true;
  w.offer(300);
  EXPECT_LT(w.batches->offers.size(),
            600 / std::min<std::size_t>(detail::limits::executor_batch, 20));  // not one by one
  EXPECT_EQ(w.batches->singles, 0);
  EXPECT_EQ(w.fired, counted(300));
}

// The first not taken is refused; what comes after it is offered again.
TEST(EngineExecuteMany, RefusedInTheMiddleRunsThatOneInline) {
  on_worker w;
  w.batches->most = std::max<std::size_t>(detail::limits::executor_batch / 7, 1);
  w.batches->inline_runs = true;
  w.offer(100);
  EXPECT_EQ(w.fired, counted(100));
  EXPECT_GT(w.engine.metrics().refused, 0u);
}

TEST(EngineExecuteMany, RefusedInTheMiddleDropsThatOneAndCountsIt) {
  on_worker w(refusal_policy::drop);
  w.batches->most = 9;
  w.batches->inline_runs = true;
  w.offer(50);
  const engine_metrics m = w.engine.metrics();
  EXPECT_EQ(m.refused, m.dropped);
  EXPECT_EQ(w.fired.size() + m.dropped, 50u);
  EXPECT_TRUE(std::is_sorted(w.fired.begin(), w.fired.end()));
  EXPECT_EQ(w.engine.pending(), 0u);
}

TEST(EngineExecuteMany, RefusedInTheMiddleKeepsTheOrderOfARetry) {
  batched b(refusal_policy::retry);
  b.batches->room = 30;
  b.schedule(150);
  b.rig.poll_at(at(10));
  EXPECT_EQ(b.batches->held.size(), 30u);
  for (int id = 150; id < 200; ++id) b.rig.engine.schedule_at(at(5), b.rig.note(id));  // after what waits
  b.rig.engine.poll();
  b.batches->run_all();
  for (int polls = 0; b.rig.engine.pending() != 0 && polls < 100; ++polls) {
    b.rig.engine.poll();
    b.batches->run_all();
  }
  EXPECT_EQ(b.rig.fired, counted(200));
}

TEST(EngineExecuteMany, MayDestroyTheEngineFromWithin) {
  census captures;
  manual_clock clock;
  auto inline_batches = std::make_shared<batch_executor>();
  inline_batches->inline_runs = true;
  auto owned = std::make_unique<engine>(engine_options{.manual = &clock, .executor = inline_batches, .reserve = 256});
  int runs = 0;
  for (int id = 0; id < 200; ++id) {
    owned->schedule_at(at(10), [&, id, token = captures.join()] {
      ++runs;
      if (id == 5) owned.reset();
    });
  }
  clock.advance_to(at(10));
  owned->poll();
  EXPECT_EQ(owned, nullptr);
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(captures.living(), 0);
}

// The callback destroys only what this thread has let go of: a try that comes too late is given up and made again.
TEST(EngineExecuteMany, MayDestroyTheEngineFromWithinOnAWorker) {
  census captures;
  std::atomic<int> runs{0};
  std::atomic<bool> let_go{false}, too_late{false}, gone{false};
  std::unique_ptr<testing::instant> all;
  do {
    all.reset();  // of an earlier try, as what its callbacks set is set again here
    let_go = too_late = false;
    const auto beside = [&](testing::instant& of) {
      runs = 0;
      of.owned->schedule_at(of.due, [&, token = captures.join()] {
        if (!let_go) {
          too_late = true;
          return;
        }
        of.owned.reset();
        gone = true;
      });
      for (int i = 0; i < 200; ++i) of.owned->schedule_at(of.due, [&, token = captures.join()] { ++runs; });
    };
    all = testing::prepare_instant({.executor = std::make_shared<moody_executor>()}, 5000, 0, beside);
    ASSERT_NE(all, nullptr);
    let_go = true;
    ASSERT_TRUE(eventually([&] { return too_late || (gone && captures.living() == 0); }));
  } while (too_late);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(all->ran, 5000u);
}

}  // namespace
}  // namespace detent
