// SPDX-License-Identifier: MIT
// Engines and pools are made whole or not at all, whichever allocation fails; those that were there go on.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "hostile/drop_privileges.hpp"
#include "hostile/fault_walk.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::expect_works;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using hostile::walk_creation;

TEST(BadAllocCreation, OfAnEngineIsWholeOrNothing) {
  const engine_options each_kind[] = {
      {.reserve = 100},
      {.drive = drive_kind::caller, .reserve = 100},
      {.drive = drive_kind::caller, .reserve = 0, .wheel = wheel_kind::hashed},
      {.drive = drive_kind::caller, .capture_origin = true, .reserve = 1'000},
      {.reserve = 70'000, .memory = {.prefault = preference::attempt, .lock = preference::attempt}},
      {.name = "an engine whose name is longer than fifteen characters"}};
  for (const engine_options& each : each_kind) {
    SCOPED_TRACE(testing::Message() << "kind " << &each - each_kind);
    walk_creation([&] { return each; });
  }
}

TEST(BadAllocCreation, OfAnEngineOnAPoolIsWholeOrNothing) {
  walk_creation([] {
    return engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2}),
                          .on_error = [](std::exception_ptr) {},
                          .reserve = 0};
  });
}

TEST(BadAllocCreation, WithoutExceptionsReturnsACode) {
  walk([](fault_scope& scope) {
    failure problem;
    std::optional<engine> made;
    scope.during([&] { made = engine::try_create({.reserve = 0}, problem); });
    EXPECT_EQ(made.has_value(), !problem);
    EXPECT_TRUE(!problem || problem == errc::out_of_memory || problem == errc::limit_reached) << problem.message();
    if (made) expect_works(*made);
  });
}

TEST(BadAllocCreation, OfAnImpossibleEngineIsRefusedWhateverFails) {
  walk([](fault_scope& scope) {
    failure problem;
    bool made = true;
    scope.during([&] { made = engine::try_create({.hashed_slots = 0}, problem).has_value(); });
    EXPECT_FALSE(made);
    EXPECT_TRUE(problem);
  });
}

TEST(BadAllocCreation, OfAnEngineThatIsDeniedIsRefusedWhateverFails) {
  walk([](fault_scope& scope) {
    ASSERT_TRUE(hostile::drop_privileges());
    std::optional<engine> made;
    EXPECT_EQ(scope.during([&] { made.emplace(engine_options{.realtime_priority = 10, .reserve = 0}); }),
              outcome::refused);
    expect_works(*std::make_unique<engine>(engine_options{.reserve = 0}));
  });
}

TEST(BadAllocCreation, OfAThreadPoolIsWholeOrNothing) {
  walk([](fault_scope& scope) {
    std::shared_ptr<thread_pool> pool;
    const outcome came = scope.during([&] { pool = std::make_shared<thread_pool>(thread_pool_options{.threads = 3}); });
    EXPECT_EQ(pool != nullptr, came == outcome::done);
    if (pool == nullptr) return;
    engine e({.executor = std::move(pool), .reserve = 0});
    expect_works(e);
  });
}

TEST(BadAllocCreation, OfAThreadPoolWithCpusIsWholeOrNothing) {
  walk([](fault_scope& scope) {
    std::unique_ptr<thread_pool> pool;
    thread_pool_options wanted{.threads = 2, .cpus = {0}, .name = "a pool whose name is longer than that"};
    const outcome came = scope.during([&] { pool = std::make_unique<thread_pool>(std::move(wanted)); });
    EXPECT_EQ(pool != nullptr, came == outcome::done);
  });
}

// One process for each fault: what is made with the first engine is not there yet.
TEST(BadAllocCreation, OfTheFirstEngineOfAllMayFailAndBeTriedAgain) {
  bool last = false;
  for (std::uint64_t nth = 1; nth < 200 && !last && !HasFailure(); ++nth) {
    SCOPED_TRACE(testing::Message() << "allocation " << nth);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    hostile::expect_in_child([&] {
      fault_scope scope(hostile::faults::one, nth);
      std::optional<engine> made;
      scope.during([&] { made.emplace(engine_options{.reserve = 0}); });
      engine next({.reserve = 0});
      expect_works(next);
      hostile::expect_in_child([&] { EXPECT_FALSE(next.try_schedule_after(0ns, [] {})); });
      const char reported = scope.refused() == 0 ? 1 : 0;
      EXPECT_EQ(write(ends[1], &reported, 1), 1);
    });
    char reported = 0;
    close(ends[1]);
    last = read(ends[0], &reported, 1) == 1 && reported == 1;
    close(ends[0]);
  }
  EXPECT_TRUE(last || HasFailure());
}

}  // namespace
}  // namespace detent
