// SPDX-License-Identifier: MIT
// Very many timers that a worker finds due at one instant, with some others beside them.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "support/engine_eventually.hpp"

namespace detent::testing {

// `ran` counts the callbacks of the bulk. Each of them spins `work` times.
struct instant {
  explicit instant(engine_options options) : owned(std::make_unique<engine>(std::move(options))) {}
  // The callbacks use the engine until it has ended. owned.reset() would make them see null before that.
  ~instant() {
    delete owned.get();
    static_cast<void>(owned.release());
  }
  instant(const instant&) = delete;
  instant& operator=(const instant&) = delete;

  // The work of each callback in the bulk.
  void run_one(int work) {
    for (int i = 0; i < work; ++i) asm volatile("");  // a fence would be a call under a thread sanitizer
    if (ran.fetch_add(1) + 1 == bulk.size() / 2) half = clock::now();
  }
  bool is_through() const { return ran == bulk.size(); }
  bool wait() const {
    return eventually([this] { return is_through(); });
  }

  time_point due;
  std::atomic<std::size_t> ran{0};
  time_point half{};  // when half of them had run; used by the worker until all have run
  std::vector<timer> bulk;
  std::unique_ptr<engine> owned;
};

// Waits until the worker has accepted this thread's submissions, which it does in order.
inline bool settle(engine& e) {
  auto accepted = std::make_shared<std::atomic<bool>>(false);
  e.schedule_after(duration(0), [accepted] { accepted->store(true); });
  return eventually([&] { return accepted->load(); });
}

// How a bulk fires: taken out of the wheel and sorted before the first callback runs, or in the order in which it lies
// there.
enum class bulk_kind { collected, run };

// Schedules `count` timers due at one instant that is still ahead, and waits until they are accepted;
// `beside(instant&)` adds others. A slow machine needs another try with a longer lead. The instant is on `grid`.
template <class Beside>
std::unique_ptr<instant> prepare_instant(const engine_options& options, std::size_t count, int work, Beside&& beside,
                                         duration grid = duration(1), bulk_kind kind = bulk_kind::collected) {
  for (duration lead = std::chrono::milliseconds(200);; lead *= 2) {
    auto made = std::make_unique<instant>(options);
    made->due = time_point(((clock::now() + lead).time_since_epoch() / grid + 1) * grid);
    made->bulk.resize(count);
    const std::vector<time_point> deadlines(count, made->due);
    made->owned->schedule_at_bulk(
        deadlines, [of = made.get(), work](std::size_t) { of->run_one(work); }, made->bulk);
    if (!settle(*made->owned)) return nullptr;
    // A timer that comes back to that time from a later one is out of order, so the list that it joins must be sorted.
    if (kind == bulk_kind::collected && count != 0) {
      made->bulk.back().restart_at(made->due + std::chrono::hours(1));
      made->bulk.back().restart_at(made->due);
    }
    beside(*made);
    if (!settle(*made->owned)) return nullptr;
    if (clock::now() < made->due - lead / 8) return made;
  }
}

}  // namespace detent::testing
