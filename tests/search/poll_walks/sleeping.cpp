// SPDX-License-Identifier: MIT
// Coroutines that sleep on an engine, or as members of a group. A sleep is a timer whose run goes on with the
// coroutine.
#include <detent/coroutine.hpp>

#include "search/poll_walks/walk.hpp"
#include "search/poll_walks/world.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {
namespace {

errc code_of(const error& problem) { return static_cast<errc>(problem.code().value()); }

}  // namespace

void world::sleep(const operation& step) {
  if (spec_.made() >= most_timers) return;
  spec::plan asked = plan_of(step);
  asked.when = walk_.time_of(step.when);
  const nanoseconds_t delay = spec::minus(asked.when, walk_.now());
  if (step.after) asked.when = spec::after(walk_.now(), delay);
  const base::stop_token token = walk_.token(step.token);
  const timer_id id = arm_sleep(asked, step, token);
  testing::owned_task task = sleeping(id, step, asked, duration(delay), token);
  if (id == 0) return spec_.broke.require(task.done(), "a sleep that is asked to stop before is over at once");
  account_of(id).frame = std::move(task);
  find_sleeper(id);
}

// "Only two cases do not suspend the coroutine at all: a stop that was requested before, which gives false at once, and
// an engine that refuses the timer, where co_await throws what schedule_at() throws." (coroutines.md)
// Returns 0 in the first of them.
timer_id world::arm_sleep(const spec::plan& asked, const operation& step, const base::stop_token& token) {
  if (token.stop_requested()) return 0;
  const spec::scheduled expected = spec_.schedule(asked, walk_.me);
  account& of = account_of(expected.id);
  of.refusals = expected.refusals;
  of.token = step.token;
  of.inside = &step.inside;
  walk_.name(step.name, *this, expected.id);
  return expected.id;
}

// A sleeper has no handle but the one that list_pending() shows.
void world::find_sleeper(timer_id id) {
  if (account_of(id).frame->done() || walk_.broken()) return;
  const std::map<timer, timer_id> known = by_handle();
  for (const pending_timer& each : engine_->list_pending()) {
    if (!known.contains(each.handle)) return note_handle(id, each.handle);
  }
  spec_.broke.require(timer_of(id).cancelled_by_group, "list_pending() shows a coroutine that sleeps");
}

testing::owned_task world::sleeping(timer_id id, const operation& step, spec::plan asked, duration delay,
                                    base::stop_token token) {
  const time_point when = detail::to_time(asked.when);
  const bool has_options = asked.tag != 0 || asked.label != 0 || asked.lane != 0 || asked.slack != 0 ||
                           asked.executor != 0 || asked.max_lateness != spec::end_of_time;
  const timer_options options = options_of(asked);
  timer_group* const group = asked.group == spec::no_group ? nullptr : group_of(asked.group);
  bool elapsed = false;
  errc problem{};
  try {
    if (group != nullptr && step.after)
      elapsed = co_await group->sleep_for(delay, options, token);
    else if (group != nullptr)
      elapsed = co_await group->sleep_until(when, options, token);
    else if (has_options && step.after)
      elapsed = co_await engine_->sleep_for(delay, options, token);
    else if (has_options)
      elapsed = co_await engine_->sleep_until(when, options, token);
    else if (step.after)
      elapsed = co_await engine_->sleep_for(delay, token);
    else
      elapsed = co_await engine_->sleep_until(when, token);
  } catch (const error& thrown) {
    problem = code_of(thrown);
  }
  woke(id, elapsed, problem, token);
}

// "True: the time has elapsed. False: stop was requested. Throws error if the timer has ended without its run although
// no stop was requested." (sleep_awaiter::await_resume)
void world::woke(timer_id id, bool elapsed, errc problem, const base::stop_token& token) {
  if (walk_.broken()) return;
  walk_.look_at_clock();
  const bool is_asked = token.stop_requested();
  spec_.broke.require(elapsed == (problem == errc{} && !is_asked), "a sleep gives true unless it was asked to stop");
  if (id == 0) return spec_.broke.require(problem == errc{}, "a sleep that was asked to stop before throws");
  const spec::timer& t = timer_of(id);
  if (t.how == spec::ending::refused)
    return spec_.broke.require(account_of(id).refusals.contains(problem), "why a sleep is refused");
  if (problem != errc{} || t.now == spec::phase::ended || t.cancelled_by_group)
    return go_on_without_run(id, problem, is_asked);
  ++account_of(id).runs;
  if (t.now == spec::phase::waiting) walk_.turn(*this, id);
  static_cast<void>(spec_.begin_run(id, walk_.me));
  walk_.running.push_back({this, id, walk_.me});
  bool throws = false;
  if (!walk_.has_run_enough()) perform_inside(id, nullptr, throws);
  walk_.running.pop_back();
  if (!walk_.broken()) spec_.end_run(id, walk_.me, false);
}

// "A stop request that came first still gives false." (coroutines.md)
void world::go_on_without_run(timer_id id, errc problem, bool is_asked) {
  const spec::timer& t = timer_of(id);
  if (t.now == spec::phase::waiting && !t.cancelled_by_group) walk_.turn(*this, id);  // it is stale
  spec_.captures_destroyed(id);
  const bool is_right = is_asked ? problem == errc{} : spec_.reasons_to_wake(id).contains(problem);
  spec_.broke.require(is_right, "how a sleep ends without its run", [&] { return std::to_string(int(problem)); });
}

// A stop request "only moves the timer" (coroutine.hpp) to now. "If one request stops several sleeps, they resume in
// any order" (coroutines.md), so the timers count as armed by threads of their own.
void world::ask_to_stop(unsigned source) {
  const nanoseconds_t tick = walk_.made_with.tick;
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).token == source && timer_of(id).how == spec::ending::none)
      static_cast<void>(spec_.restart(id, spec::minus(walk_.now(), tick - 1), thread_count + id));
  }
}

void world::forget_token(unsigned source) {
  for (account& each : accounts_) {
    if (each.token == source) each.token = 0;
  }
}

// "While the coroutine is suspended its owner may destroy it, on any thread; that cancels the timer." (sleep_awaiter)
void world::destroy(timer_id id) {
  account& of = account_of(id);
  const spec::phase now = timer_of(id).now;
  if (!of.frame || of.frame->done() || (now != spec::phase::waiting && now != spec::phase::handed)) return;
  static_cast<void>(spec_.cancel(id));
  of.frame.reset();
}

}  // namespace detent::poll_walks
