// SPDX-License-Identifier: MIT
// Timers whose callbacks are tasks of a oneTBB arena.
#include <detent/detent.hpp>
#include <detent/tbb.hpp>

#include <atomic>
#include <cstdio>
#include <latch>

using namespace std::chrono_literals;

int main() {
  oneapi::tbb::task_arena arena(1, 0);  // one thread of TBB's; before the engine, so that it outlives it
  std::latch done(4);
  std::atomic<int> elsewhere{0};
  detent::engine engine({.executor = detent::tbb_executor(arena)});
  auto work = [&] {
    if (oneapi::tbb::this_task_arena::max_concurrency() != 1) ++elsewhere;
    done.count_down();
  };
  engine.schedule_after(1ms, work);
  engine.schedule_at_fixed_rate(1ms, 1ms, work, {.runs = 3});
  done.wait();
  engine.stop();  // waits for what is running
  std::printf("%d elsewhere\n", elsewhere.load());
  return elsewhere == 0 ? 0 : 1;
}
