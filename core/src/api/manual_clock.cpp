// SPDX-License-Identifier: MIT
#include <detent/manual_clock.hpp>

#include <detent/engine.hpp>
#include <detent/error.hpp>

#include "callers/refusals.hpp"
#include "driver/poll.hpp"
#include "engine/driven_engine.hpp"
#include "limits.hpp"
#include "wheel/earliest.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace detent {
namespace {

using namespace std::string_view_literals;

// Returns the first deadline of the engines that have anything pending, or an earlier time.
std::optional<time_point> first_deadline(std::span<engine* const> engines, int looks) {
  std::optional<detail::nanoseconds_t> first;
  for (engine* each : engines) {
    detail::driven_engine& whole = detail::whole(*detail::timer_access::core(*each));
    const std::optional<detail::nanoseconds_t> next = detail::next_deadline(whole, whole.drives(), looks);
    if (next && (!first || *next < *first)) first = next;
  }
  if (!first) return std::nullopt;
  return detail::to_time(*first);
}

// Returns whether a timer is due then. Members of paused groups are not, though no engine has an earlier deadline for
// them.
bool is_due_at_the_end_of_time(std::span<engine* const> engines) {
  const auto waits = [](const pending_timer& each) {
    return each.deadline == (time_point::max)() && (each.state == "armed"sv || each.state == "queued"sv);
  };
  return std::any_of(engines.begin(), engines.end(), [&](const engine* each) {
    const std::vector<pending_timer> pending = each->list_pending();
    return std::any_of(pending.begin(), pending.end(), waits);
  });
}

struct polled {
  std::size_t ran;
  bool progressed;  // something ran, or was handed over
};
polled poll_once(engine& each) {
  const detail::thread_registry& threads = detail::timer_access::core(each)->threads;
  const std::uint64_t before = threads.total(detail::counter::handed_over);
  const std::size_t ran = each.poll();
  return {ran, ran != 0 || threads.total(detail::counter::handed_over) != before};
}

// Does not compare the times that they show, because two clocks that were not moved yet show the same.
void expect_on(const manual_clock& clock, const engine& each) {
  static_cast<void>(each.stopped());  // aborts if it has been moved from, and has no core
  const detail::engine_core& core = *detail::timer_access::core(each);
  if (core.options.manual == &clock) return;
  throw error(errc::invalid_option, detail::prefix_of(core) +
                                        "manual_clock::run_until(): engine_options::manual is not this clock; make the "
                                        "engine with this one");
}

}  // namespace

std::size_t manual_clock::run_until(detail::clock_time until, std::span<engine* const> engines) {
  const time_point end = until;
  // Without an end, time stops at the last deadline. It must not go on from there to a bound that is too early for
  // members of paused groups, which are never due.
  const int looks = end == (time_point::max)() ? detail::look_at_all : detail::limits::exact_looks;
  for (const engine* each : engines) expect_on(*this, *each);
  bool idle = false;  // the last polls did nothing, though something seemed due
  for (std::size_t total = 0;;) {
    bool progressed = false;
    for (engine* each : engines) {
      const polled done = poll_once(*each);
      total += done.ran;
      progressed |= done.progressed;
    }
    const std::optional<time_point> next = first_deadline(engines, looks);
    if (!next || *next > end || (*next == (time_point::max)() && !is_due_at_the_end_of_time(engines))) {
      if (end != (time_point::max)()) advance_to(end);
      return total;
    }
    if (*next > now()) {
      advance_to(*next);
      idle = false;
    } else if (progressed || !idle) {
      idle = !progressed;  // armed since its engine was polled: by a callback, by a capture's end, by another thread
    } else if (now() < end) {
      advance_to(now() + duration(1));  // a bound that is too early must not keep time still
    } else {
      return total;
    }
  }
}

std::size_t manual_clock::run_for(detail::whole_duration length, std::span<engine* const> engines) {
  return run_until(detail::to_time(detail::add_saturated(detail::to_ns(now()), length.count())), engines);
}

}  // namespace detent
