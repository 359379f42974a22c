// SPDX-License-Identifier: MIT
// A process at the end of its address space (RLIMIT_AS): calls are refused as a whole, and existing engines continue.
// Not for sanitized builds, whose shadow memory is larger than any limit.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <optional>

#include "hostile/drop_privileges.hpp"
#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::problem_of;
using hostile::drop_privileges;
using hostile::expect_in_child;
using hostile::lowered_limit;

rlim_t room_for(std::size_t bytes) { return drive::memory().mapped + bytes; }

TEST(AddressSpace, TooSmallForAnEngineIsOutOfMemory) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    engine there;
    for (std::size_t room = 0; room <= 96u << 20; room += 4u << 20) {
      failure problem;
      std::optional<engine> made;
      {
        lowered_limit tight(RLIMIT_AS, room_for(room));
        made = engine::try_create({.reserve = 500'000}, problem);
      }
      EXPECT_TRUE(made || problem == errc::out_of_memory || problem == errc::limit_reached) << problem.message();
    }
    std::atomic<bool> fired{false};
    there.schedule_after(1us, [&fired] { fired = true; });
    EXPECT_TRUE(eventually([&] { return fired.load(); }));
  });
}

TEST(AddressSpace, TooSmallForAReserveIsNamed) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    lowered_limit tight(RLIMIT_AS, room_for(256u << 20));
    const drive::problem refused = problem_of([] { engine e({.drive = drive_kind::caller, .reserve = 100'000'000}); });
    EXPECT_EQ(refused.code, errc::out_of_memory);
    EXPECT_TRUE(refused.names("reserve = 100000000")) << refused.what;
  });
}

TEST(AddressSpace, UsedUpRefusesTimersAndTheEngineGoesOn) {
  expect_in_child([] {
    ASSERT_TRUE(drop_privileges());
    mallopt(M_ARENA_MAX, 1);
    std::atomic<std::size_t> fired{0};
    engine e({.reserve = 1000});
    e.schedule_after(0ns, [] {});
    std::size_t made = 0;
    timer first = e.schedule_after(1h, [&fired] { ++fired; });
    {
      lowered_limit tight(RLIMIT_AS, room_for(8u << 20));
      while (made < 10'000'000 && e.try_schedule_after(3s, [&fired] { ++fired; })) ++made;
      EXPECT_LT(made, 10'000'000u) << "the limit was never met";
      EXPECT_TRUE(eventually([&] { return fired == made; })) << fired << " of " << made;
      EXPECT_TRUE(e.try_schedule_after(0ns, [&fired] { ++fired; })) << "nodes are free again";
      EXPECT_TRUE(eventually([&] { return fired == made + 1; }));
    }
    EXPECT_EQ(first.cancel(), cancel_result::cancelled);
    EXPECT_EQ(e.pending(), 0u);
  });
}

}  // namespace
}  // namespace detent
