// SPDX-License-Identifier: MIT
// Memory that an ordinary user may not lock.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "hostile/drop_privileges.hpp"
#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"

namespace detent {
namespace {

TEST(EngineMemory, DoesWithoutALockThatIsOnlyAttempted) {
  hostile::expect_in_child([] {
    ASSERT_TRUE(hostile::drop_privileges());
    const drive::problem refused =
        drive::problem_of([] { engine e({.drive = drive_kind::caller, .memory = {.lock = preference::attempt}}); });
    EXPECT_FALSE(refused.code) << refused.what;
  });
}

}  // namespace
}  // namespace detent
