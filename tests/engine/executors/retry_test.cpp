// SPDX-License-Identifier: MIT
// Refused work that waits to be offered again, and an executor that has room again in the middle of a batch.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using drive::at;
using drive::ids;

// Refuses the first offer, takes all others, and runs them at once.
class refuses_first : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    if (std::exchange(refused_, true)) {
      fired_timer taken = std::move(work);
      taken();
      return true;
    }
    return false;
  }

 private:
  bool refused_ = false;
};

TEST(EngineExecutorRetry, IsNotOvertakenByWhatTheExecutorWouldHaveTaken) {
  drive::virtual_engine rig({.executor = std::make_shared<refuses_first>(), .on_refusal = refusal_policy::retry});
  for (int id : {1, 2, 3}) rig.engine.schedule_at(at(id), rig.note(id));
  rig.poll_at(at(3));
  EXPECT_EQ(rig.fired, ids{}) << "something fired before what had been refused";
  rig.engine.schedule_at(at(0), rig.note(4));
  rig.poll_at(at(4));
  EXPECT_EQ(rig.fired, (ids{1, 2, 3, 4}));
}

// Timers that wait to be offered again hold on to the engine's internals, which go when it is stopped.
TEST(EngineExecutorRetry, LeavesNothingOfTheEngineBehind) {
  struct refuses : executor {
    bool execute(fired_timer&&) noexcept override { return false; }
  };
  const auto held = std::make_shared<int>(0);
  {
    drive::virtual_engine rig({.executor = std::make_shared<refuses>(),
                               .on_refusal = refusal_policy::retry,
                               .on_error = [held](const std::exception_ptr&) {}});
    for (int id : {1, 2, 3}) rig.engine.schedule_at(at(id), rig.note(id));
    rig.poll_at(at(3));
    EXPECT_EQ(rig.engine.stop().size(), 3u);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace detent
