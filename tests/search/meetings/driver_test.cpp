// SPDX-License-Identifier: MIT
// Other threads may act, and see the driver's state, between any two of its operations.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "platform/wake_fd.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

// A poll fires what is due by its one reading of the clock, and no more than it was asked to.
TEST(EnginePollClock, MayMoveOnWhileMuchIsCollectedAndNothingMoreFires) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  int bulk = 0, critical = 0;
  for (int i = 0; i < 2000; ++i) owned.schedule_at(time_point(10ns), [&] { ++bulk; });
  owned.schedule_at(time_point(20ns), [&] { ++critical; }, {.lane = 3});
  clock.advance_to(time_point(10ns));
  owned.next_deadline();  // inserts them

  bool was_read = false;
  const hooks::watcher moves_on = [&](hooks::operation, const hooks::site& where) {
    if (where.is_in("manual_clock.hpp")) was_read = true;
    if (was_read && where.is_in("state_word.hpp")) clock.advance_to(time_point(30ns));
  };
  hooks::watch(&moves_on);
  const std::size_t fired = owned.poll(3);
  hooks::watch(nullptr);
  EXPECT_EQ(clock.now(), time_point(30ns));
  EXPECT_EQ(fired, 3u);
  EXPECT_EQ(bulk, 3);
  EXPECT_EQ(critical, 0);
  EXPECT_EQ(owned.poll(1), 1u);
  EXPECT_EQ(critical, 1);
}

// A stop on another thread waits for it, and the engine may be freed then.
TEST(EnginePollEnd, TouchesNothingAfterLeavingTheDrive) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  owned.schedule_after(0ns, [] {});
  std::optional<hooks::operation> last;
  std::string_view file;
  const hooks::watcher notes = [&](hooks::operation what, const hooks::site& where) {
    last = what;
    file = where.file;
  };
  hooks::watch(&notes);
  const std::size_t fired = owned.poll();
  hooks::watch(nullptr);
  EXPECT_EQ(fired, 1u);
  EXPECT_EQ(last, hooks::operation::exchange);
  EXPECT_TRUE(file.ends_with("/lifecycle.hpp")) << file;
}

// A caller that finds that a run has ended finds it counted: it is cancelled before each operation in turn that the
// driver performs after the callback, and before all that follow. A cancel ends periodic timers alone during a run.
void expect_counted_ends(bool periodic) {
  bool ended = true;
  for (int first = 0; ended; ++first) {
    manual_clock clock;
    engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
    const label named = owned.make_label("ends");
    bool ran = false;
    int operations = 0;
    timer one;
    ended = false;
    const hooks::watcher cancels = [&](hooks::operation, const hooks::site& where) {
      if (!ran || ended || operations++ < first) return;
      if (one.cancel() == cancel_result::running) return;
      ended = true;
      for (const engine_metrics& seen : {owned.metrics(), owned.metrics(named)}) {
        EXPECT_EQ(seen.expired, periodic ? 0u : 1u) << first << ", " << where.file << ':' << where.line;
        EXPECT_EQ(seen.cancelled, periodic ? 1u : 0u) << first << ", " << where.file << ':' << where.line;
      }
    };
    auto work = [&] { ran = true; };
    one = periodic ? owned.schedule_at_fixed_rate(0ns, 1h, work, {.label = named})
                   : owned.schedule_after(0ns, work, {.label = named});
    hooks::watch(&cancels);
    EXPECT_EQ(owned.poll(), 1u);
    hooks::watch(nullptr);
    EXPECT_TRUE(ended || first > 5) << "nothing was checked";
  }
}

TEST(EngineRunEnd, IsCountedBeforeAnybodyCanKnowOfIt) { expect_counted_ends(false); }
TEST(EngineRunEnd, OfAPeriodicTimerIsCountedBeforeAnybodyCanKnowOfIt) { expect_counted_ends(true); }

// Does the second thing before that operation of the first one. Returns false if there are not so many.
template <class First, class Second>
bool interleave(int before, First&& first, Second&& second) {
  int operations = 0;
  bool done = false;
  const hooks::watcher comes_by = [&](hooks::operation, const hooks::site&) {
    if (operations++ != before) return;
    second();
    done = true;
  };
  hooks::watch(&comes_by);
  first();
  hooks::watch(nullptr);
  return done;
}

// A signal that comes late, for what the driver knows by now, is over with the next call that finds nothing to do,
// wherever it met the call before.
TEST(WakeFdSignal, DoesNotOutliveTheNextCheckOfTheDriver) {
  for (const bool other_deadline : {false, true}) {
    const std::optional<detail::nanoseconds_t> never;
    auto is_over = [&](auto&& meet) {
      detail::wake_fd wake;
      const int fd = wake.open();
      wake.set(other_deadline ? std::optional(detail::forever) : never);
      const bool met = meet(wake);
      wake.set(never);
      pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
      EXPECT_EQ(::poll(&asked, 1, 0), 0);
      return met;
    };
    for (int before = 0;; ++before) {
      SCOPED_TRACE(before);
      const bool in_set = is_over([&](detail::wake_fd& wake) {
        return interleave(
            before, [&] { wake.set(never); }, [&] { wake.signal(); });
      });
      const bool in_signal = is_over([&](detail::wake_fd& wake) {
        return interleave(
            before, [&] { wake.signal(); }, [&] { wake.set(never); });
      });
      if (!in_set && !in_signal) break;
    }
  }
}

}  // namespace
}  // namespace detent
