// SPDX-License-Identifier: MIT
// Counts a producer's calls. Its entries pile up in the queue, as they do while a worker sleeps.
#include "engine_timers.hpp"
#include "operations.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace detent::instructions {
namespace {

using namespace std::chrono_literals;

constexpr duration later = 10s, earlier = 5s;

struct producer_results {
  std::unique_ptr<cancel_result[]> cancels = std::make_unique<cancel_result[]>(live);
  std::unique_ptr<bool[]> restarts = std::make_unique<bool[]>(live);

  std::span<cancel_result> of_cancel() { return {cancels.get(), live}; }
  std::span<bool> of_restart() { return {restarts.get(), live}; }
};

void require_cancelled(const char* name, std::span<const cancel_result> results) {
  require(std::count(results.begin(), results.end(), cancel_result::cancelled) == live, name, "not all were cancelled");
}

void require_restarted(const char* name, std::span<const bool> results) {
  require(std::count(results.begin(), results.end(), true) == live, name, "not all were restarted");
}

void count_empty_loops(engine_timers& warm, producer_results& results) {
  timer* const timers = warm.timers().data();
  // These handles are in addition to the timers, which are still needed.
  std::vector<timer> handles(live);
  struct words {
    std::uint64_t low, high;
  };
  static_assert(sizeof(words) == sizeof(timer));
  count_each("schedule_loop", no_loop, std::span(handles), [](std::size_t i) {
    have(deadline_of_turn(i).time_since_epoch().count());
    return std::bit_cast<timer>(words{unknown<std::uint64_t>(), unknown<std::uint64_t>()});
  });
  count_each("cancel_loop", no_loop, results.of_cancel(), [timers](std::size_t i) {
    have(timers + i);
    return unknown<cancel_result>();
  });
  count_each("restart_loop", no_loop, results.of_restart(), [timers](std::size_t i) {
    have(timers + i);
    have(deadline_of_turn(i, later).time_since_epoch().count());
    return unknown<bool>();
  });
}

void count_restart(const char* name, engine_timers& warm, producer_results& results, duration moved) {
  count_each(name, "restart_loop", results.of_restart(), [timers = warm.timers().data(), moved](std::size_t i) {
    return timers[i].restart_at(deadline_of_turn(i, moved));
  });
  require_restarted(name, results.of_restart());
}

void count_cancel(const char* name, engine_timers& warm, producer_results& results) {
  count_each(name, "cancel_loop", results.of_cancel(),
             [timers = warm.timers().data()](std::size_t i) { return timers[i].cancel(); });
  require_cancelled(name, results.of_cancel());
}

}  // namespace

void count_producer() {
  engine_timers warm;
  producer_results results;
  count_empty_loops(warm, results);

  engine* const engine = &warm.engine();
  const callback called = warm.counting();
  count_each("schedule_at", "schedule_loop", warm.timers(),
             [engine, &called](std::size_t i) { return engine->schedule_at(deadline_of_turn(i), called); });
  count_cancel("cancel", warm, results);
  engine->poll();

  count_each("schedule_after", "schedule_loop", warm.timers(), [engine, &called](std::size_t i) {
    return engine->schedule_after(deadline_of_turn(i).time_since_epoch(), called);
  });
  engine->poll();
  count_restart("restart_later", warm, results, later);
  count_restart("restart_earlier", warm, results, earlier);
  engine->poll();
  count_cancel("cancel_filed", warm, results);
}

}  // namespace detent::instructions
