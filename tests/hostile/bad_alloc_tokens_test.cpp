// SPDX-License-Identifier: MIT
// Memory runs out where stop tokens and coroutines meet the engine: a timer or none, a sleeper or one that is refused.
#include <detent/coroutine.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <stop_token>
#include <utility>

#include "hostile/fault_walk.hpp"
#include "support/coroutine_tasks.hpp"
#include "support/engine_captures.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::bare_engine;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using testing::bystander;
using testing::census;

TEST(BadAllocTokens, ScheduleWithAStopTokenIsDoneOrRefused) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare;
    std::stop_source source;
    timer made;
    const outcome came = scope.during(
        [&] { made = bare.engine.schedule_after(1h, source.get_token(), bystander<0>{.here = callables.join()}); });
    EXPECT_EQ(came == outcome::done, static_cast<bool>(made));
    EXPECT_EQ(callables.living(), made ? 1 : 0);
    EXPECT_EQ(bare.engine.pending(), made ? 1u : 0u);
    source.request_stop();
    EXPECT_EQ(callables.living(), 0);
    EXPECT_EQ(bare.engine.pending(), 0u);
    bare.expect_works();
  });
}

testing::owned_task sleeper(engine& e, std::stop_token token, int& woken) {
  co_await e.sleep_for(1us, std::move(token));
  ++woken;
}

// Refused, the coroutine goes on at once with what sleep_for() throws; without memory for its frame there is none.
TEST(BadAllocTokens, CoroutineSleepsOrIsRefused) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    std::stop_source source;
    testing::owned_task task;
    int woken = 0;
    const outcome came = scope.during([&] {
      task = sleeper(bare.engine, source.get_token(), woken);
      if (task.thrown()) std::rethrow_exception(task.thrown());
    });
    EXPECT_EQ(bare.engine.pending(), came == outcome::done ? 1u : 0u);
    bare.clock.advance(1us);
    bare.engine.poll();
    EXPECT_EQ(woken, came == outcome::done ? 1 : 0);
    source.request_stop();
    task.destroy();
    bare.expect_works();
  });
}

}  // namespace
}  // namespace detent
