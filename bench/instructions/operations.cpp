// SPDX-License-Identifier: MIT
// The hot operations, each in a loop of its own, for callgrind to count: every loop is dumped under its name, and a line
// "NAME COUNT" says by how many to divide. instructions.py runs this and takes the empty loops off. No thread but the
// main one runs while something is counted.
#include <detent/detail/hierarchical_wheel.hpp>
#include <detent/detent.hpp>

#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace std::chrono_literals;
using detent::detail::node;
using detent::detail::node_index;
using detent::detail::nanoseconds_t;

constexpr std::uint32_t live = 100'000;

template <class Body>
[[gnu::noinline]] void count(const char* name, std::uint64_t operations, Body&& body) {
  CALLGRIND_ZERO_STATS;
  body();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %llu\n", name, static_cast<unsigned long long>(operations));
}

// Keeps the compiler from removing or reordering what an empty loop does.
template <class T>
void keep(const T& value) {
  __asm__ __volatile__("" : : "m"(value) : "memory");
}

detent::engine_options driven(detent::manual_clock& time) {
  detent::engine_options options;
  options.drive = detent::drive_kind::caller;
  options.manual = &time;
  return options;
}

struct capture {
  std::uint64_t* fired;
  std::uint64_t more[2];
  void operator()() const { ++*fired; }
};

// What a producer pays: the entries pile up in the queue, as while a worker sleeps.
void count_producer() {
  detent::manual_clock time;
  detent::engine engine(driven(time));
  std::vector<detent::timer> timers(live);
  std::uint64_t fired = 0;
  const capture callback{&fired, {1, 2}};
  detent::time_point first{1s};
  auto schedule_all = [&] {
    for (std::uint32_t i = 0; i < live; ++i) {
      timers[i] = engine.schedule_at(first + i * 10ns, callback);
      keep(timers[i]);
    }
  };
  auto cancel_all = [&] {
    for (detent::timer& each : timers) keep(each.cancel());
  };
  schedule_all();  // the first time maps memory
  cancel_all();
  engine.poll();

  count("loop", live, [&] {
    for (std::uint32_t i = 0; i < live; ++i) keep(timers[i]);
  });
  count("schedule_at", live, schedule_all);
  count("cancel", live, cancel_all);
  engine.poll();
  count("schedule_after", live, [&] {
    for (std::uint32_t i = 0; i < live; ++i) {
      timers[i] = engine.schedule_after(1s, callback);
      keep(timers[i]);
    }
  });
  count("drain", live, [&] { engine.poll(); });
  count("restart_later", live, [&] {
    for (std::uint32_t i = 0; i < live; ++i) keep(timers[i].restart_at(first + 10s + i * 10ns));
  });
  count("restart_earlier", live, [&] {
    for (std::uint32_t i = 0; i < live; ++i) keep(timers[i].restart_at(first + 5s + i * 10ns));
  });
  engine.poll();
  count("cancel_filed", live, cancel_all);
  count("reap", live, [&] { engine.poll(); });
  count("poll_with_nothing_due", live, [&] {
    for (std::uint32_t i = 0; i < live; ++i) keep(engine.poll());
  });
  schedule_all();
  engine.poll();
  time.advance_to(first + 1s);
  count("fire", live, [&] { engine.poll(); });
}

// Nodes in a plain array.
struct node_array {
  node* nodes;
  node& operator[](node_index index) const noexcept { return nodes[index]; }
};
using bare_wheel = detent::detail::hierarchical_wheel<node_array>;

struct wheel_bench {
  std::unique_ptr<node[]> nodes = std::make_unique<node[]>(live);
  bare_wheel wheel{node_array{nodes.get()}, detent::detail::tick_grid(1), 0};
  std::vector<node_index> order;
  std::vector<nanoseconds_t> deadlines;

  wheel_bench() : order(live), deadlines(live) {
    std::mt19937_64 random(1);
    std::iota(order.begin(), order.end(), node_index{0});
    std::shuffle(order.begin(), order.end(), random);
    for (nanoseconds_t& each : deadlines) each = static_cast<nanoseconds_t>(random() % 1'000'000) * 1000;
  }
  void insert_all() {
    for (node_index index : order) {
      node& added = nodes[index];
      added.pair.high.store(static_cast<std::uint64_t>(deadlines[index]), std::memory_order_relaxed);
      wheel.insert(index, added, deadlines[index]);
    }
  }
  // Hands each node over when it is due.
  std::uint64_t expire(nanoseconds_t now) {
    std::uint64_t taken = 0;
    wheel.expire(now, [&](node_index, node& each) {
      bool due = detent::detail::deadline_of(each.pair) <= now;
      taken += due;
      return due;
    });
    return taken;
  }
};

void count_wheel() {
  wheel_bench bench;
  count("wheel_loop", live, [&] {
    for (node_index index : bench.order) {
      node& added = bench.nodes[index];
      added.pair.high.store(static_cast<std::uint64_t>(bench.deadlines[index]), std::memory_order_relaxed);
      keep(added);
    }
  });
  count("wheel_insert", live, [&] { bench.insert_all(); });
  count("wheel_unlink", live, [&] {
    for (node_index index : bench.order) bench.wheel.unlink(bench.nodes[index]);
  });
  bench.insert_all();
  // 1e5 timers in one second: two ticks of 1 us in three find something due at most; these find nothing.
  nanoseconds_t now = 0;
  bench.wheel.insert(0, bench.nodes[0], 0);
  bench.expire(0);
  {
    wheel_bench far;
    for (nanoseconds_t& each : far.deadlines) each += 100'000'000'000;
    far.insert_all();
    count("wheel_empty_tick", live, [&] {
      for (std::uint32_t i = 0; i < live; ++i) keep(far.expire(now += 1000));
    });
    keep(far.expire(99'999'999'999));
    std::uint64_t taken = 0;
    count("wheel_cascade_and_expire", live, [&] { taken = far.expire(200'000'000'000); });
    keep(taken);
  }
  {
    wheel_bench spread;
    for (node_index index = 0; index < live; ++index) spread.deadlines[index] = nanoseconds_t{index} * 1000 + 1000;
    spread.insert_all();
    std::uint64_t taken = 0;
    nanoseconds_t tick = 0;
    count("wheel_expire_one_a_tick", live, [&] {
      for (std::uint32_t i = 0; i < live; ++i) taken += spread.expire(tick += 1000);
    });
    keep(taken);
  }
}

}  // namespace

int main() {
  count_producer();
  count_wheel();
}
