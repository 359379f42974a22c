// SPDX-License-Identifier: MIT
// Threads that call the engine when their thread-local storage is gone already, and wait for each other in between.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "hostile/in_child.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::expect_in_child;

// A thread that does `last` after the engine has taken leave of it.
std::thread thread_that_ends_with(engine& e, std::function<void()> last) {
  return std::thread([&e, last = std::move(last)]() mutable {
    struct at_the_end {
      std::function<void()> call;
      ~at_the_end() { call(); }
    };
    thread_local at_the_end mine;  // before the engine's own, and so destroyed after it
    mine.call = std::move(last);
    e.schedule_after(1h, [] {}).cancel();
  });
}

// A capture that calls as it dies.
struct dies_with {
  explicit dies_with(std::function<void()> call) : call_(std::move(call)) {}
  dies_with(dies_with&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  ~dies_with() {
    if (call_) call_();
  }
  void operator()() const {}

 private:
  std::function<void()> call_;
};

bool is_asleep(pid_t thread) {
  return drive::status_field("/proc/self/task/" + std::to_string(thread) + "/", "State").rfind('S', 0) == 0;
}

// One cancels many, and with them a timer of which a stop request is just running the hook: it waits for the hook. That
// is a cancel as well, on the other thread.
void expect_no_deadlock() {
  engine e;
  std::stop_source source;
  std::atomic<bool> cancels{false}, requested{false};
  std::atomic<pid_t> requests{0};
  timer hooked = e.schedule_after(1h, source.get_token(), [] {});
  timer first = e.schedule_after(1h, dies_with([&] {
                                   cancels = true;
                                   // Until the request is done, or waits inside the hook.
                                   EXPECT_TRUE(eventually([&] { return requested || is_asleep(requests); }));
                                 }));
  std::thread one = thread_that_ends_with(e, [&] {
    std::array<timer, 2> both{first, hooked};
    e.cancel_bulk(both);
  });
  std::thread other = thread_that_ends_with(e, [&] {
    EXPECT_TRUE(eventually([&] { return cancels.load(); }));
    requests = gettid();
    source.request_stop();
    requested = true;
  });
  one.join();
  other.join();
  EXPECT_EQ(e.pending(), 0u);
}

TEST(EndingThreads, ACancelOfManyAndAStopRequestGetPastEachOther) {
  expect_in_child([] { expect_no_deadlock(); });
}

}  // namespace
}  // namespace detent
