// SPDX-License-Identifier: MIT
// A child forked while another thread is in the middle of making a label, where it waits for memory.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

#include "hostile/in_child.hpp"
#include "support/drive_problem.hpp"
#include "support/leaks_of_parent_only.hpp"
#include "support/platform/asleep.hpp"

namespace {

// For the calling thread: runs before its allocation number `left` from now, counted from 0.
struct interruption {
  int left = -1;
  const std::function<void()>* what = nullptr;
};
constinit thread_local interruption mine;

}  // namespace

// In front of the C library's, which keeps this name for such replacements. operator new ends here.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* malloc(std::size_t bytes) {
  if (mine.left >= 0 && mine.left-- == 0) (*mine.what)();
  return __libc_malloc(bytes);
}
}

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::expect_in_child;
using hostile::in_child;

// For a process that has made no label yet. The other thread continues once the forking thread has to wait for it, or
// waits for its child. Returns true if it came to that allocation.
bool fork_at_allocation(int n) {
  engine parents({.drive = drive_kind::caller, .reserve = 0});
  drive::sleeper forks;
  std::atomic<int> stage{0};
  const std::function<void()> waits = [&] {
    stage = 1;
    forks.sleeps();
  };
  std::thread other([&] {
    mine = {n, &waits};
    parents.make_label("one that is longer than what a string has room for by itself");
    mine = {};
    if (stage == 0) stage = 2;
  });
  while (stage == 0) std::this_thread::yield();
  const bool met = stage == 1;
  if (met) {
    forks.lies_down();
    EXPECT_EQ(in_child([&] {
                alarm(20);  // it would be left alone with a lock that nobody gives back
                engine own({.drive = drive_kind::caller, .reserve = 0});
                EXPECT_EQ(own.make_label("its own").name(), "its own");
                EXPECT_EQ(drive::problem_of([&] { parents.make_label("another"); }).code, errc::forked);
              }),
              "")
        << "forked at allocation " << n;
    EXPECT_EQ(parents.make_label("the parent's").name(), "the parent's");
  }
  other.join();
  return met;
}

TEST(ForkWhileALabelIsMade, ChildMakesLabelsOfItsOwn) {
  void* const shared = mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  bool& met = *new (shared) bool(true);
  int n = 0;
  for (; met && !HasFailure(); ++n) expect_in_child([&] { met = fork_at_allocation(n); });
  EXPECT_GT(n, 3) << "the name, its place among others, and what they are kept in";
  munmap(shared, sizeof(bool));
}

}  // namespace
}  // namespace detent
