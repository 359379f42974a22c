// SPDX-License-Identifier: MIT
// The operations of a walk.
#include "search/poll_walks/walk.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {

void walk::perform_here(const operation& step) {
  world& on = *worlds_[step.on % worlds_.size()];
  switch (step.what) {
    case action::schedule:
    case action::rate:
    case action::delay: return on.make(step);
    case action::sleep: return on.sleep(step);
    case action::ticks: return on.tick(step);
    case action::bulk: return step.all && set_ != nullptr ? make_bulk(step) : on.make_bulk(step);
    case action::cancel:
    case action::cancel_bulk:
    case action::restart:
    case action::destroy:
    case action::ask: return on_timers(step);
    case action::pause:
    case action::resume:
    case action::cancel_all:
    case action::end: return on_groups(step);
    case action::advance: clock_.advance(duration(step.number)); return move_clock();
    case action::reach: clock_.advance_to(detail::to_time(time_of(step.when))); return move_clock();
    case action::poll: return on.poll(static_cast<std::size_t>(std::max<nanoseconds_t>(step.number, 0)));
    case action::run: return run(step);
    case action::next: return on.ask_next();
    case action::list: return step.all && set_ != nullptr ? list() : on.list();
    case action::metrics: return step.all && set_ != nullptr ? compare_metrics() : on.compare_metrics();
    case action::move:
      if (set_ == nullptr && !run_) on.move();
      return;
    case action::close: return close(step.all ? all() : std::vector{&on});
    case action::stop: return step.all ? stop(all()) : stop({&on});
    case action::drain: return refuse_drain(on, step.all);
    case action::executor: return on.set_mode(static_cast<unsigned>(step.number) % 4);
    case action::run_held: return on.hand_back(true);
    case action::drop_held: return on.hand_back(false);
    case action::ask_to_stop: return ask_to_stop(1 + (step.name - 1) % sources);
    case action::rearm:
    case action::raise: return;  // of callbacks alone
  }
}

void walk::close(const std::vector<world*>& those) {
  for (world* each : those) each->specified().close();
  if (set_ != nullptr && those.size() == worlds_.size()) return set_->close();
  for (world* each : those) each->real().close();
}

void walk::on_timers(const operation& step) {
  nanoseconds_t when = step.what == action::restart ? time_of(step.when) : 0;
  std::map<world*, std::vector<timer_id>> together;
  std::vector<timer> handles;
  for (std::uint32_t i = 0; i < step.count && !broken(); ++i) {
    const named timer = find(step.name + i);
    if (timer.of == nullptr) continue;
    timer.of->find_tickers();
    // The point of an interval that goes on in this very call: nothing shows its handle.
    const bool is_live = timer.of->timer_of(timer.id).now != spec::phase::ended;
    if (is_live && !timer.of->handle_of(timer.id)) continue;
    if (step.what != action::cancel_bulk) {
      timer.of->on_timer(step, timer.id, when);
      when = spec::plus(when, step.step);
    } else {
      together[timer.of].push_back(timer.id);
      handles.push_back(timer.of->handle_of(timer.id));
    }
  }
  if (handles.empty()) return;
  std::size_t expected = 0;
  for (const auto& [of, ids] : together) expected += of->specified().cancel_bulk(ids);
  const std::size_t came =
      set_ != nullptr ? set_->cancel_bulk(handles) : worlds_[step.on % worlds_.size()]->real().cancel_bulk(handles);
  broke.require(came == expected, "how many cancel_bulk() cancels",
                [&] { return std::to_string(came) + ", and it should be " + std::to_string(expected); });
}

// A source that has been asked before is replaced, so that its token can serve again.
void walk::ask_to_stop(unsigned source) {
  base::stop_source& of = sources_[source - 1];
  if (of.get_token().stop_requested()) {
    of = base::stop_source();
    for (const auto& each : worlds_) each->forget_token(source);
    return;
  }
  for (const auto& each : worlds_) each->ask_to_stop(source);
  of.request_stop();
}

base::stop_token walk::token(unsigned number) const {
  return number == 0 ? base::stop_token() : sources_[(number - 1) % sources].get_token();
}

// --- Time

void walk::run(const operation& step) {
  for (const auto& each : worlds_) {
    if (each->is_polled()) return refuse_run(*each, time_of(step.when));
  }
  const std::size_t count = worlds_.size();
  const std::size_t among = step.among == 0 ? count : std::min<std::size_t>(step.among, count);
  std::vector<engine*> real;
  std::vector<spec::engine*> specified;
  for (std::size_t i = 0; i < among; ++i) {
    world& each = *worlds_[(step.on + i) % count];
    real.push_back(&each.real());
    specified.push_back(&each.specified());
  }
  look_at_clock();
  runs_in_run_ = refused_in_run_ = 0;
  driver_ = me;
  const nanoseconds_t end = time_of(step.when);
  run_.emplace(specified, end, me);
  const std::size_t ran = step.when.from == moment::base::now ? clock_.run_for(duration(step.when.by), real)
                                                              : clock_.run_until(detail::to_time(end), real);
  if (broken()) return;
  run_->returned(ran, now());
  if (broken()) return;
  run_.reset();
  look_at_clock();
}

// "Throws what poll() throws: called_from_callback inside a callback of one of them." (manual_clock::run_until)
void walk::refuse_run(world& of, nanoseconds_t end) {
  engine* const polled = &of.real();
  const nanoseconds_t before = now();
  try {
    clock_.run_until(detail::to_time(end), {&polled, 1});
    broke.require(false, "run_until() inside a callback is refused");
  } catch (const error& problem) {
    const errc expected = me == of.poller() ? errc::called_from_callback : errc::not_permitted;
    broke.require(problem.code() == expected, "why run_until() is refused inside a callback");
  }
  broke.require(now() == before, "a run that is refused moves no time");
}

// --- The end

// "Throws errc::called_from_callback in one of the engine's callbacks", and for a set "in a callback of any of the
// shards, and nothing has changed" (engine::stop, sharded_engine::stop).
void walk::stop(const std::vector<world*>& those) {
  const bool as_set = set_ != nullptr && those.size() == worlds_.size();
  if (std::any_of(those.begin(), those.end(), [](world* each) { return each->runs_elsewhere(); })) return;
  for (world* each : those) {
    if (!each->runs_here()) continue;
    failure problem;
    const auto left = as_set ? set_->try_stop(problem) : each->real().try_stop(problem);
    broke.require(problem.code() == errc::called_from_callback && left.empty(), "stop() inside a callback is refused");
    return;
  }
  std::vector<unfired_timer> left;
  std::map<world*, std::map<timer_id, spec::returned_timer>> expected;
  for (world* each : those) {
    each->find_tickers();  // whose handles the answer has
    expected[each] = each->specified().stop();
  }
  if (as_set) {
    left = set_->stop();
  } else {
    for (world* each : those) {
      for (unfired_timer& one : each->real().stop()) left.push_back(std::move(one));
    }
  }
  compare_returned(expected, left);
  if (!broken()) run_returned(left);
}

void walk::compare_returned(const std::map<world*, std::map<timer_id, spec::returned_timer>>& expected,
                            const std::vector<unfired_timer>& left) {
  std::size_t count = 0;
  for (const auto& [of, all] : expected) {
    const std::map<timer, timer_id> by_handle = of->by_handle();
    std::map<timer_id, spec::returned_timer> came;
    for (const unfired_timer& each : left) {
      const auto found = by_handle.find(each.handle);
      if (found != by_handle.end()) came[found->second] = {detail::to_ns(each.deadline), each.tag};
    }
    count += all.size();
    broke.require(came == all, "stop() returns what had not ended, with its deadline");
  }
  broke.require(left.size() == count, "how many timers stop() returns",
                [&] { return std::to_string(left.size()) + ", and it should be " + std::to_string(count); });
}

// Half of what stop() gave back runs, and the captures of all of it are destroyed.
void walk::run_returned(std::vector<unfired_timer>& left) {
  const bool before = std::exchange(runs_returned_, true);
  for (std::size_t i = 0; i < left.size(); i += 2) {
    returned_ = detail::to_ns(left[i].deadline);
    left[i].run();
  }
  left.clear();
  runs_returned_ = before;
}

// Such a run has a deadline and no timer, and arms nothing.
void walk::run_returned(firing& seen) {
  broke.require(detail::to_ns(seen.deadline()) == returned_, "the deadline in a run of what stop() gave back");
  broke.require(seen.self() == timer(), "firing::self() of what stop() gave back");
  seen.rearm_after(duration(1));
}

// "Throws what stop() throws, and wrong_drive if a caller drives the engine, because it would wait for that caller's
// poll()." (engine::drain_for)
void walk::refuse_drain(world& on, bool all) {
  const bool inside = on.runs_here() || on.runs_elsewhere() || !running.empty();
  try {
    if (all && set_ != nullptr) {
      static_cast<void>(set_->drain_for(duration(1)));
    } else {
      static_cast<void>(on.real().drain_for(duration(1)));
    }
    broke.require(false, "drain_for() of an engine that a caller drives is refused");
  } catch (const error& problem) {
    broke.require(problem.code() == errc::wrong_drive || (inside && problem.code() == errc::called_from_callback),
                  "why drain_for() is refused");
  }
}

}  // namespace detent::poll_walks
