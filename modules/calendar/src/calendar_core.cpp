// SPDX-License-Identifier: MIT
#include "calendar_core.hpp"

#include "message.hpp"
#include "misfires.hpp"

#include <detent/base/forced_unwind.hpp>
#include <detent/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace detent::detail {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw error(errc::invalid_option, what); }

const calendar_set_up& checked(const engine& of, const calendar_set_up& set_up) {
  const bool manual = std::strcmp(of.metrics().clock.name, "manual") == 0;
  if (manual && !set_up.virtual_epoch)
    refuse("calendar_set_up::virtual_epoch: an engine on a manual clock needs the wall time at that clock's zero");
  if (!manual && set_up.virtual_epoch)
    refuse("calendar_set_up::virtual_epoch: only for an engine on a manual clock (engine_options::manual)");
  if (set_up.large_step < duration(0))
    refuse("calendar_set_up::large_step = " + std::to_string(set_up.large_step.count()) + " ns: must not be negative");
  return set_up;
}

void check(const calendar_options& options) {
  if (options.misfire_after < duration(0))
    refuse("calendar_options::misfire_after = " + std::to_string(options.misfire_after.count()) +
           " ns: must not be negative");
  if (options.most == 0 || options.most > most_counted)
    refuse("calendar_options::most = " + std::to_string(options.most) +
           ": must be from 1 to 100,000; misfire::skip runs none");
}

wall_time first_time(const detent::schedule& of, wall_time now) {
  const std::optional<wall_time> first = of.next(now);
  if (first) return *first;
  const std::string& text = of.text();
  throw schedule_error({"expression", text, 1},
                       "schedule " + in_quotes(text) + ": not due any more before the year 2200", true);
}

// Reports an exception from a user's function on stderr, because there is no caller to catch it.
template <class Call>
void guarded(const char* what, Call&& call) noexcept {
  try {
    base::kept_thread called({"calendar", nullptr, what});
    call();
    called.returned();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "detent: calendar: %s threw: %s\n", what, problem.what());
  } catch (...) {
    std::fprintf(stderr, "detent: calendar: %s threw\n", what);
  }
}

}  // namespace

calendar_core::calendar_core(engine& of, const calendar_set_up& set_up)
    : engine_(of), set_up_(checked(of, set_up)), process_(getpid()), clock_(of, set_up.virtual_epoch) {}

void calendar_core::start() {
  if (set_up_.virtual_epoch) return;
  watch_.emplace();
  clock_.follow();  // for steps from before it was armed
  watch_->start([this] { guarded("following the wall clock", [this] { after_step(clock_.follow()); }); });
}

void calendar_core::close() noexcept {
  if (watch_) watch_->stop();
  if (process_ != getpid()) return;
  entries_.for_each([](calendar_entry& each) { each.cancel_and_wait(); });
}

timer calendar_core::add(wall_time at, const detent::schedule* when, std::unique_ptr<calendar_work> work,
                         const calendar_options& options, const origin& where) {
  check(options);
  const wall_time first = when != nullptr ? first_time(*when, clock_.now()) : at;
  calendar_entry& entry = entries_.take();
  const time_point deadline = entry.begin(shared_from_this(), std::move(work), when, first, options);
  timer made;
  try {
    made = engine_.schedule_at(deadline, entry_holder(entry),
                               timer_options{.label = options.label, .lane = options.lane}, where);
  } catch (...) {
    entry.publish({});
    throw;
  }
  entry.publish(made);
  return made;
}

// A timer that is neither pending nor in its callback is about to be, or to end, so it is tried again.
template <class Move>
std::size_t calendar_core::move_all(Move&& move) {
  const std::uint64_t pass = ++passes_;
  std::size_t moved = 0;
  for (bool again = true; again;) {
    again = false;
    entries_.for_each([&](calendar_entry& each) {
      if (each.pass == pass) return;
      const calendar_entry::move_result result = move(each);
      if (result == calendar_entry::move_result::again) {
        again = true;
      } else {
        each.pass = pass;
      }
      if (result == calendar_entry::move_result::moved) ++moved;
    });
    if (!again || engine_.stopped()) break;  // timers that stop() has returned do not run by themselves
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return moved;
}

std::size_t calendar_core::after_step(duration by) {
  const time_point began = detent::clock::now();
  const wall_time now = clock_.now();
  std::size_t moved = 0;
  {
    const std::lock_guard lock(moving_);
    const bool back = by < duration(0), date = is_new_date(-by);
    moved = move_all([&](calendar_entry& each) { return back ? each.go_back(date) : each.follow(); });
  }
  const clock_step step{by, now, moved, detent::clock::now() - began};
  if (set_up_.on_step) guarded("on_step", [&] { set_up_.on_step(step); });
  return moved;
}

std::size_t calendar_core::set_virtual_clock(wall_time now) {
  if (!set_up_.virtual_epoch)
    refuse("calendar::set_virtual_clock: the engine runs by a real clock; set engine_options::manual");
  return after_step(clock_.set_virtual(now));
}

std::size_t calendar_core::reload_zones() {
  const std::lock_guard lock(moving_);
  std::vector<std::pair<time_zone, time_zone>> zones;  // before and after the reload
  entries_.for_each([&](calendar_entry& each) {
    const std::optional<time_zone> zone = each.zone();
    if (!zone) return;
    if (std::none_of(zones.begin(), zones.end(), [&](const auto& known) { return known.first == *zone; }))
      zones.emplace_back(*zone, *zone);
  });
  for (auto& [before, after] : zones) after = before.reloaded();
  std::size_t changed = 0;
  entries_.for_each([&](calendar_entry& each) {
    for (const auto& [before, after] : zones) {
      if (!each.change_zone(before, after)) continue;
      ++changed;
      break;
    }
  });
  move_all([](calendar_entry& each) { return each.follow(); });
  return changed;
}

void calendar_core::report_end(const schedule_end& end) noexcept {
  guarded("on_end", [&] {
    if (set_up_.on_end) return set_up_.on_end(end);
    std::fprintf(stderr, "detent: calendar: %s\n", end.what().c_str());
  });
}

}  // namespace detent::detail
