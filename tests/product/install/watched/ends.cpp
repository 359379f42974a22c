// SPDX-License-Identifier: MIT
// A correct program, of which ThreadSanitizer sees all but the library: the ends of engines, and what they are asked.
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "untold.hpp"

using namespace std::chrono_literals;

namespace {

constexpr int rounds = 50;

std::shared_ptr<detent::executor> pool() {
  return std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2});
}

void stop_comes_after_all_runs(bool on_a_pool) {
  for (int i = 0; i < rounds; ++i) {
    detent::engine engine({.executor = on_a_pool ? pool() : nullptr});
    std::vector<int> ran(20);
    for (int& each : ran)
      engine.schedule_after(std::chrono::microseconds(10 * (&each - ran.data())), [&each] { ++each; });
    int beats = 0;
    engine.schedule_at_fixed_rate(0ns, 10us,
                                  [&, text = std::string(40, 'b')] { beats += static_cast<int>(text.size()); });
    if (i % 2 == 0) std::this_thread::sleep_for(100us);
    // A later caller waits, and sees as much.
    std::thread other([&] {
      if (i % 3 != 0) return;
      engine.stop();
      EXPECT(engine.stopped());
      for (int each : ran) EXPECT(each <= 1);
    });
    std::vector<detent::unfired_timer> left = engine.stop();
    for (int each : ran) EXPECT(each <= 1);
    other.join();
    for (std::size_t k = 0; k < left.size(); k += 2) left[k].run();
    ran.clear();
  }
}

void an_engine_ends_with_its_timers(bool on_a_pool) {
  for (int i = 0; i < rounds; ++i) {
    auto used = std::make_unique<std::string>("used");
    int failed = 0;
    {
      detent::engine engine(
          {.executor = on_a_pool ? pool() : nullptr, .on_error = [&failed](std::exception_ptr) { ++failed; }});
      std::thread scheduling([&] {
        engine.schedule_after(0ns, [&] { used->append("x"); });
        for (int k = 0; k < 10; ++k)
          engine.schedule_after(1h, [own = std::make_unique<int>(k), &used] { used->clear(); });
        if (!on_a_pool) engine.schedule_after(0ns, [] { throw 1; });
      });
      scheduling.join();
      if (i % 2 == 0) std::this_thread::sleep_for(100us);
    }
    EXPECT(failed <= 1);
    used.reset();
  }
}

void a_callback_may_destroy_the_engine(bool on_a_pool) {
  for (int i = 0; i < rounds; ++i) {
    std::atomic<bool> armed{false}, gone{false};
    auto engine = std::make_unique<detent::engine>(detent::engine_options{.executor = on_a_pool ? pool() : nullptr});
    engine->schedule_after(0ns, [&, own = std::make_unique<int>(i)] {
      wait_for([&] { return armed.load(); });
      engine.reset();
      gone = true;
    });
    engine->schedule_after(1h, [own = std::make_unique<int>(i)] {});
    armed = true;
    wait_for([&] { return gone.load(); });
  }
}

void what_an_engine_is_asked() {
  const std::string file = "/tmp/detent-watched-" + std::to_string(getpid());
  static constexpr std::string_view name = "named elsewhere, and long enough for the heap";
  untold_flag slow;
  detent::engine_options options;
  options.slow_threshold = 1us;
  options.on_slow = [&](const detent::slow_callback& run) {
    EXPECT(run.label.name() == name);
    slow.raise();
  };
  options.capture_origin = true;
  options.counters_file = file + ".counters";
  options.record = file + ".trace";
  detent::engine engine(options);
  untold_flag named;
  std::thread naming([&] {
    const detent::label made = engine.make_label(name);
    engine.schedule_after(1h, [] {}, {.label = made});
    engine.schedule_at_fixed_rate(0ns, 100us, [] { std::this_thread::sleep_for(10us); }, {.label = made});
    named.raise();
  });
  named.await();
  for (int i = 0; i < rounds; ++i) {
    for (const detent::pending_timer& each : engine.list_pending()) EXPECT(each.label.name() == name);
    EXPECT(engine.metrics().scheduled >= 2);
  }
  slow.await();
  naming.join();
  engine.stop();
  unlink((file + ".counters").c_str());
  unlink((file + ".trace").c_str());
}

// Two threads that know nothing of each other; one is refused where the other is inside.
void whoever_polls_finds_it_as_the_last_left_it() {
  detent::engine engine({.drive = detent::drive_kind::caller});
  int runs = 0;
  untold_flag enough;
  engine.schedule_at_fixed_rate(0ns, 1us, [&] {
    if (++runs == 500) enough.raise();
  });
  auto poll = [&] {
    while (!enough.up()) {
      try {
        engine.poll();
      } catch (const detent::error& refused) {
        EXPECT(refused.code() == detent::errc::not_permitted);
      }
    }
  };
  std::thread other(poll);
  poll();
  engine.stop();
  EXPECT(runs >= 500);
  other.join();
}

void an_event_loop_drives_it() {
  detent::engine engine({.drive = detent::drive_kind::caller});
  int ran = 0;
  std::thread producer([&] {
    for (int i = 0; i < rounds; ++i)
      engine.schedule_after(10us, [&ran, own = std::make_unique<int>(1)] { ran += *own; });
  });
  pollfd watched{engine.wake_fd(), POLLIN, 0};
  while (ran < rounds) {
    poll(&watched, 1, 100);
    engine.poll();
  }
  producer.join();
}

// The threads go on when the engines have gone, and use others.
void threads_outlive_engines() {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<detent::engine>> engines;
  std::atomic<int> used{0};
  for (int i = 0; i < 5; ++i) engines.push_back(std::make_unique<detent::engine>());
  std::optional<detent::engine> last(std::in_place);
  untold_flag over;
  std::atomic<int> done{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 5; ++k) {
        // Short-lived ones, whose places the next ones take.
        std::thread([&] {
          engines[static_cast<std::size_t>(k)]->schedule_after(1h, [own = std::make_unique<int>(k)] {});
        }).join();
        engines[static_cast<std::size_t>(k)]->schedule_after(0ns, [&used] { ++used; });
      }
      done.fetch_add(1);
      over.await();
      last->schedule_after(0ns, [&used, t] { used += t; });
    });
  }
  wait_for([&] { return done.load() == 4; });
  engines.clear();
  over.raise();
  for (std::thread& each : threads) each.join();
  last.reset();
  EXPECT(used.load() >= 0);
}

}  // namespace

int main() {
  for (bool on_a_pool : {false, true}) {
    stop_comes_after_all_runs(on_a_pool);
    an_engine_ends_with_its_timers(on_a_pool);
  }
  what_an_engine_is_asked();
  whoever_polls_finds_it_as_the_last_left_it();
  an_event_loop_drives_it();
  threads_outlive_engines();
  a_callback_may_destroy_the_engine(false);
  a_callback_may_destroy_the_engine(true);
}
