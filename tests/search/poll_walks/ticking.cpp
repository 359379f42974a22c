// SPDX-License-Identifier: MIT
// Coroutines that wait for the points of an interval, one after the other.
#include <detent/interval.hpp>

#include "search/poll_walks/walk.hpp"
#include "search/poll_walks/world.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {

void world::tick(const operation& step) {
  // A timer's tag is the interval's, so an executor cannot know the timer by it.
  if (spec_.made() >= most_timers || walk_.made_with.executors != 0) return;
  spec::plan asked = plan_of(step);
  asked.tag = tags_of_a_world * most_engines + tickers_.size();
  asked.max_lateness = spec::end_of_time;
  const spec::points grid{.period = asked.period,
                          .missed = asked.missed,
                          .left = asked.runs,
                          .is_limited = asked.runs != 0,
                          .next = spec::plus(walk_.now(), asked.period)};
  ticker& of = tickers_.emplace_back();
  of.frame = ticking(of, step, asked, grid, walk_.token(step.token));
}

testing::owned_task world::ticking(ticker& of, const operation& step, spec::plan asked, spec::points grid,
                                   base::stop_token token) {
  const periodic_options options = periodic_options_of(asked);
  timer_group* const group = group_of(asked.group);
  interval every(group != nullptr ? detail::place(*group) : detail::place(*engine_), duration(grid.period), options);
  for (bool goes_on = true; goes_on && spec_.made() < most_timers;) {
    const bool is_over = grid.is_over();
    asked.when = grid.next;
    of.waits = is_over ? 0 : arm_sleep(asked, step, token);
    bool came = false;
    errc problem{};
    try {
      came = co_await every.next(token);
    } catch (const error& thrown) {
      problem = static_cast<errc>(thrown.code().value());
    }
    const timer_id id = std::exchange(of.waits, 0);
    if (came) {
      const spec::period_run expected = grid.come(walk_.now());
      spec_.broke.require(!is_over, "an interval has more points than runs");
      spec_.broke.require(detail::to_ns(every.deadline()) == expected.deadline, "interval::deadline()");
      spec_.broke.require(every.missed() == expected.missed, "interval::missed()");
    }
    if (is_over) {
      spec_.broke.require(problem == errc{}, "an interval that is over throws");
    } else {
      woke(id, came, problem, token);
    }
    // At the end of time, each point comes at once.
    goes_on = came && grid.next != spec::end_of_time && !walk_.broken() && !walk_.has_run_enough();
  }
}

// list_pending() shows the timer of a point; the interval has given it a tag.
void world::find_tickers() {
  const auto is_unknown = [this](const ticker& each) { return each.waits != 0 && !account_of(each.waits).handle; };
  if (std::none_of(tickers_.begin(), tickers_.end(), is_unknown)) return;
  for (const pending_timer& each : engine_->list_pending()) {
    const std::uint64_t number = each.tag - tags_of_a_world * most_engines;
    if (number < tickers_.size() && is_unknown(tickers_[number])) note_handle(tickers_[number].waits, each.handle);
  }
}

}  // namespace detent::poll_walks
