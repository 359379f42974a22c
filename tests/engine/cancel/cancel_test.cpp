// SPDX-License-Identifier: MIT
// Cancelling, in each state that the timer may be in, from outside and from callbacks.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::at_end;
using testing::bystander;
using testing::census;

// Where a timer is while it can still be cancelled.
enum class where { submitted, accepted, handed_over };

class EngineCancel : public ::testing::TestWithParam<where> {
 protected:
  template <class F>
  timer schedule(F&& f) {
    timer made = engine_.schedule_after(1s, std::forward<F>(f));
    if (GetParam() == where::accepted) engine_.poll();
    if (GetParam() == where::handed_over) {
      clock_.advance(1s);
      engine_.poll();
      EXPECT_FALSE(executor_->held.empty());
    }
    return made;
  }
  void let_all_run() {
    clock_.advance(1h);
    engine_.poll();
    executor_->run_all();
  }
  template <std::size_t Bytes>
  void expect_destroyed_once_before_cancel_returns() {
    census callables;
    timer t = schedule(bystander<Bytes>{callables.join()});
    EXPECT_EQ(callables.living(), 1);
    t.cancel();
    EXPECT_EQ(callables.ended(), 1);
    let_all_run();
    EXPECT_EQ(callables.ended(), 1);
  }

  manual_clock clock_;
  std::shared_ptr<testing::holding_executor> executor_ = std::make_shared<testing::holding_executor>();
  engine engine_{engine_options{.manual = &clock_, .executor = executor_, .reserve = 4096}};
};
std::string state_name(const ::testing::TestParamInfo<where>& info) {
  return info.param == where::submitted ? "submitted" : info.param == where::accepted ? "accepted" : "handed_over";
}
INSTANTIATE_TEST_SUITE_P(States, EngineCancel, ::testing::Values(where::submitted, where::accepted, where::handed_over),
                         state_name);

TEST_P(EngineCancel, KeepsTheCallbackFromRunning) {
  bool ran = false;
  timer t = schedule([&] { ran = true; });
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  let_all_run();
  EXPECT_FALSE(ran);
}

TEST_P(EngineCancel, DestroysASmallCallableOnceBeforeItReturns) { expect_destroyed_once_before_cancel_returns<0>(); }

TEST_P(EngineCancel, DestroysABoxedCallableOnceBeforeItReturns) { expect_destroyed_once_before_cancel_returns<100>(); }

TEST_P(EngineCancel, LetsTheCaptureUseTheEngineAndTheHandle) {
  timer t, made;
  cancel_result inside = cancel_result::cancelled;
  t = schedule(at_end([&] {
    inside = t.cancel();
    made = engine_.schedule_after(1s, [] {});
  }));
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  EXPECT_EQ(inside, cancel_result::gone);
  EXPECT_TRUE(made.pending());
}

TEST_P(EngineCancel, DoesNotReachANewerTimerInTheSamePlace) {
  timer old = schedule([] {});
  old.cancel();
  engine_.poll();
  int runs = 0;
  std::vector<timer> newer;
  for (int i = 0; i < 300; ++i) newer.push_back(engine_.schedule_after(1s, [&] { ++runs; }));
  EXPECT_EQ(old.cancel(), cancel_result::gone);
  EXPECT_FALSE(old.pending());
  let_all_run();
  EXPECT_EQ(runs, 300);
}

TEST(EngineCancelInside, MayBeOfANeighbourThatIsDueAtTheSameInstant) {
  drive::virtual_engine rig;
  census callables;
  timer earlier, later;
  cancel_result of_earlier{}, of_later{};
  int living = -1;
  earlier = rig.engine.schedule_after(1s, rig.note(1));
  rig.engine.schedule_after(1s, [&] {
    of_earlier = earlier.cancel();
    of_later = later.cancel();
    living = callables.living();
  });
  later = rig.engine.schedule_after(1s, [note = rig.note(3), here = callables.join()] { note(); });
  EXPECT_EQ(rig.poll_at(drive::at(1s)), 2u);
  EXPECT_EQ(of_earlier, cancel_result::gone);
  EXPECT_EQ(of_later, cancel_result::cancelled);
  EXPECT_EQ(living, 0);
  EXPECT_EQ(rig.fired, drive::ids{1});
}

}  // namespace
}  // namespace detent
