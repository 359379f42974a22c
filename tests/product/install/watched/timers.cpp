// SPDX-License-Identifier: MIT
// A correct program, of which ThreadSanitizer sees all but the library: timers, from their arming to their end.
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

// Each round in another of the few nodes that there are, used by several threads in turn.
constexpr int rounds = 200;

void what_came_before_is_seen_by_the_run(detent::engine& engine) {
  int reported = 0, seen = 0;
  untold_count ran;
  auto last = [&](const auto& callable) {
    detent::timer run = engine.schedule_after(0ns, callable);
    ran.await(++reported);
    run.cancel_and_wait();  // what it counts in ends with this function
  };
  std::array<int, 32> large{};
  for (int i = 0; i < rounds; ++i) {
    auto own = std::make_shared<int>(i);
    detent::timer run = engine.schedule_after(0ns, [&, own] {
      seen += *own;
      ran.add();
    });
    ++reported;
    ran.await(reported);
    run.cancel_and_wait();
    seen += 1;
    large[3] = i;
    detent::scoped_timer boxed(engine.schedule_after(0ns, [&, large] {
      seen += large[3];
      ran.add();
    }));
    ran.await(++reported);
  }
  int counted = 0;
  std::function<void()> erased = [&ran, &counted, text = std::string(100, 'x')]() mutable {
    text += 'y';
    counted += static_cast<int>(text.size());
    ran.add();
  };
  last(erased);
  erased = nullptr;
}

// Words alone travel another way than what has to be destroyed; and a lambda may write to its own.
void captures_are_the_runs_own(detent::engine& engine) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&engine] {
      std::vector<detent::timer> made;
      for (int i = 0; i < rounds; ++i) {
        made.push_back(engine.schedule_after(0ns, [own = i]() mutable { ++own; }));
        made.push_back(engine.schedule_after(0ns, [own = std::make_unique<int>(i)] { ++*own; }));
        engine.schedule_after(1h, [own = std::make_unique<int>(i)] { ++*own; }).cancel();
        engine.schedule_after(1h, [own = i]() mutable { ++own; }).cancel();
        if (i % 16 == 0) std::this_thread::yield();
      }
      for (detent::timer& each : made) each.cancel_and_wait();
    });
  }
  for (std::thread& each : threads) each.join();
}

void a_run_sees_the_one_before(detent::engine& engine) {
  int fixed_rate = 0, fixed_delay = 0, rearmed = 0;
  untold_flag enough[3];
  detent::timer timers[] = {engine.schedule_at_fixed_rate(0ns, 20us,
                                                          [&] {
                                                            if (++fixed_rate == rounds) enough[0].raise();
                                                          }),
                            engine.schedule_with_fixed_delay(0ns, 20us,
                                                             [&] {
                                                               if (++fixed_delay == rounds) enough[1].raise();
                                                             }),
                            engine.schedule_after(0ns, [&](detent::firing& run) {
                              if (++rearmed == rounds) enough[2].raise();
                              run.rearm_after(20us);
                            })};
  for (const untold_flag& each : enough) each.await();
  for (detent::timer& each : timers) each.cancel_and_wait();
  EXPECT(fixed_rate >= rounds && fixed_delay >= rounds && rearmed >= rounds);
}

void a_restart_is_seen_by_the_run(detent::engine& engine) {
  for (int i = 0; i < rounds; ++i) {
    int scheduled = 0, restarted = 0, sum = 0;
    untold_flag ran;
    scheduled = i;
    detent::timer moved = engine.schedule_after(1h, [&] {
      sum = scheduled + restarted;
      ran.raise();
    });
    std::thread other([&] {
      restarted = i;
      EXPECT(moved.restart_after(i % 2 == 0 ? 2h : 30min));
      EXPECT(moved.restart_after(0ns));
    });
    ran.await();
    moved.cancel_and_wait();
    EXPECT(sum == 2 * i);
    other.join();
  }
}

// The canceller is passed the timer alone.
void a_canceller_finds_the_captures_whole(detent::engine& engine) {
  for (int i = 0; i < rounds; ++i) {
    untold_handle found;
    int before = 0;
    auto text = std::make_shared<std::string>("text");
    std::thread canceller([&] {
      if (found.await().cancel() == detent::cancel_result::cancelled) EXPECT(before == i);
    });
    before = i;
    detent::timer made = engine.schedule_after(1h, [text = std::move(text), number = std::make_unique<int>(i)] {});
    if (i % 2 == 0) made.restart_after(2h);
    found.put(made);
    canceller.join();
  }
  for (int i = 0; i < rounds; ++i) {  // nothing to destroy
    untold_handle found;
    int before = 0, restarted = 0;
    std::thread canceller([&] {
      if (found.await().cancel() == detent::cancel_result::cancelled) EXPECT(before == i && restarted == i);
    });
    before = i;
    detent::timer made = engine.schedule_after(1h, [&before] { before = 0; });
    restarted = i;
    EXPECT(made.restart_after(2h));
    found.put(made);
    canceller.join();
  }
}

void a_waiting_canceller_sees_the_run(detent::engine& engine) {
  for (int i = 0; i < rounds; ++i) {
    auto used = std::make_unique<int>(0);
    untold_flag began;
    detent::timer runs = engine.schedule_after(0ns, [&, text = std::string(50, 'a')]() mutable {
      began.raise();
      for (int k = 0; k < 100; ++k) ++*used;
      text.clear();
    });
    if (i % 2 == 0) began.await();
    if (i % 3 == 0) std::this_thread::sleep_for(50us);  // it may have ended long ago
    runs.cancel_and_wait();
    EXPECT(*used == 0 || *used == 100);
    used.reset();
  }
  struct session {
    explicit session(detent::engine& on) : idle(on.schedule_at_fixed_rate(0ns, 30us, [this] { ++beats; })) {}
    int beats = 0;
    detent::scoped_timer idle;
  };
  for (int i = 0; i < rounds; ++i) {
    auto short_lived = std::make_unique<session>(engine);
    if (i % 4 == 0) std::this_thread::sleep_for(50us);
  }
}

void many_at_once(detent::engine& engine) {
  std::vector<detent::time_point> deadlines(100, engine.now());
  std::vector<detent::timer> handles(deadlines.size());
  std::vector<int> reported(deadlines.size()), seen(deadlines.size());
  for (int i = 0; i < rounds / 10; ++i) {
    untold_count ran;
    reported.assign(reported.size(), i);
    engine.schedule_at_bulk(
        deadlines,
        [&](std::size_t index) {
          seen[index] += reported[index];
          ran.add();
        },
        handles);
    ran.await(100);
    for (detent::timer& each : handles) each.cancel_and_wait();
    engine.schedule_at_bulk(
        deadlines,
        [&, own = std::array<int, 10>{i}](std::size_t index) {
          seen[index] += own[0];
          ran.add();
        },
        handles);
    ran.await(200);
    for (detent::timer& each : handles) each.cancel_and_wait();
    std::vector<detent::time_point> later(100, engine.now() + 1h);
    engine.schedule_at_bulk(
        later, [&, text = std::make_shared<std::string>("x")](std::size_t) { text->clear(); }, handles);
    std::thread([&] { EXPECT(engine.cancel_bulk(handles) == 100); }).join();
  }
}

}  // namespace

int main() {
  for (const detent::engine_options& options :
       {detent::engine_options{}, detent::engine_options{.tick = 1us, .max_pending = 1000},
        detent::engine_options{.executor =
                                   std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2})}}) {
    detent::engine engine(options);
    what_came_before_is_seen_by_the_run(engine);
    captures_are_the_runs_own(engine);
    a_run_sees_the_one_before(engine);
    a_restart_is_seen_by_the_run(engine);
    a_canceller_finds_the_captures_whole(engine);
    a_waiting_canceller_sees_the_run(engine);
    many_at_once(engine);
  }
}
