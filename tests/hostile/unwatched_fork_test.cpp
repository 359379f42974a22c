// SPDX-License-Identifier: MIT
// An engine that cannot watch forks is not made: in a child it would take itself for the parent's.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cerrno>

#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"

extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);

namespace {
bool no_memory = false;
}

// In front of the C library's. It needs memory from its 49th caller on.
extern "C" int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  return no_memory ? ENOMEM : __register_atfork(prepare, parent, child, nullptr);
}

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using hostile::expect_in_child;

// In one process, as the first engine of all is what registers the handlers.
TEST(ForkUnwatched, EngineIsRefusedAndMadeOnceThereIsMemory) {
  no_memory = true;
  const auto problem = problem_of([] { engine({.name = "gateway"}); });
  no_memory = false;
  EXPECT_EQ(problem.code, errc::out_of_memory);
  EXPECT_TRUE(problem.names("engine \"gateway\": no memory for the fork handlers")) << problem.what;
  engine e;
  expect_in_child([&] { EXPECT_FALSE(e.try_schedule_after(0ns, [] {})); });
}

}  // namespace
}  // namespace detent
