// SPDX-License-Identifier: MIT
// A correct program, of which ThreadSanitizer sees all but the library: groups.
#include <detent/timer_group.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

constexpr int rounds = 100;

struct room {
  explicit room(detent::engine& on) : members(on) {
    for (int& each : ticks) members.schedule_at_fixed_rate(0ns, 20us, [&each] { ++each; });
    members.schedule_after(0ns, [own = std::make_unique<int>(1)]() mutable { own.reset(); });
    members.schedule_after(1h, [this, own = std::make_unique<int>(1)] { ticks.clear(); });
  }
  std::vector<int> ticks = std::vector<int>(5);
  detent::timer_group members;  // the last: it waits for its callbacks
};

void the_end_of_a_group_comes_after_its_runs(detent::engine& engine) {
  for (int i = 0; i < rounds; ++i) {
    auto opened = std::make_unique<room>(engine);
    if (i % 2 == 0) std::this_thread::sleep_for(50us);
  }
}

void cancel_all_and_wait_comes_after_its_runs(detent::engine& engine) {
  detent::timer_group group(engine);
  int used = 0;
  for (int i = 0; i < rounds; ++i) {
    used = i;
    untold_flag began;
    group.schedule_with_fixed_delay(0ns, 10us, [&] {
      began.raise();
      ++used;
    });
    if (i % 2 == 0) began.await();
    std::thread([&] {
      group.cancel_all_and_wait();
      EXPECT(used >= i);
      used = 0;
    }).join();
  }
}

void paused_and_resumed_they_go_on(detent::engine& engine) {
  for (int i = 0; i < rounds / 4; ++i) {
    detent::timer_group group(engine);
    int runs = 0;
    untold_flag ran;
    group.schedule_at_fixed_rate(0ns, 10us, [&] {
      if (++runs == 5) ran.raise();
    });
    std::thread other([&] {
      for (int k = 0; k < 10; ++k) {
        group.pause();
        group.resume();
      }
    });
    ran.await();
    other.join();
    group.cancel_all_and_wait();
    EXPECT(runs >= 5);
  }
}

// Members are added by several threads, and the group outlives its engine.
void any_thread_adds_members(std::shared_ptr<detent::executor> on) {
  std::optional<detent::engine> engine(std::in_place, detent::engine_options{.executor = std::move(on)});
  detent::timer_group group(*engine);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        group.schedule_after(0ns, [own = std::make_unique<int>(i)] { ++*own; });
        group.schedule_after(1h, [own = std::make_unique<int>(i)] { ++*own; });
        if (i % 32 == 0) group.cancel_all();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  engine.reset();
  group.cancel_all();
}

}  // namespace

int main() {
  for (int threads : {0, 2}) {
    std::shared_ptr<detent::executor> on;
    if (threads != 0)
      on = std::make_shared<detent::thread_pool>(
          detent::thread_pool_options{.threads = static_cast<std::size_t>(threads)});
    detent::engine engine({.executor = on});
    the_end_of_a_group_comes_after_its_runs(engine);
    cancel_all_and_wait_comes_after_its_runs(engine);
    paused_and_resumed_they_go_on(engine);
    any_thread_adds_members(on);
  }
}
