// SPDX-License-Identifier: MIT
#include "search/worker_walks/judge.hpp"

#include "search/worker_walks/stage.hpp"

#include "spec/time_rules.hpp"

#include <algorithm>

namespace detent::worker_walks {

using spec::minus;
using spec::rounded_up;

bool judge::is_at_one_moment(const call& each) const {
  if (each.what == verb::end_group) return false;
  if (each.what >= verb::pause || each.group != 0 || each.period != 0) return true;
  return each.what == verb::restart && each.timer < all_.size() && all_[each.timer].group != 0;
}

void judge::begin_arm(const call& of, std::uint32_t timer, ns at, unsigned thread) {
  if (timer >= all_.size()) all_.resize(timer + 1);
  record& made = all_[timer];
  made.now = phase::arming;
  made.lane = of.lane;
  made.slack = of.slack;
  made.tag = of.tagged ? tag_of(of.timer) : 0;
  made.label = of.label;
  made.late = of.late;
  made.runs_stale = of.runs_stale;
  made.owns = of.count == 1 && (of.owns || of.late);
  made.runs_left = of.runs;
  made.refuses = is_closed_ || (of.group != 0 && groups_[of.group].ends);
  made.group = of.group;
  made.thread = thread;
  made.kept = of.group == 0 ? rounded_up(at, tick_) : at;  // a member's is rounded by the engine's time when it is due
  if (of.group != 0) {
    const group_record& its = groups_[of.group];
    made.kept = minus(made.kept, its.paused ? minus(stage_now(), its.own) : its.behind);
  }
  if (of.period != 0) {
    const auto kind = of.fixed_delay ? spec::repetition::fixed_delay : spec::repetition::fixed_rate;
    made.rate = {.kind = kind, .period = of.period, .missed = static_cast<missed_ticks>(of.missed), .next = at};
  }
  made.order = ++orders_;
}

void judge::end_arm(std::uint32_t timer, detent::timer handle) {
  record& made = all_[timer];
  made.handle = handle;
  change(made);
  count(made, [](spec::counts& all) { ++all.scheduled; });
  // "From now on the engine takes no timers" (engine::close); "the group takes no timers" (~timer_group)
  if (made.refuses) fault("#%u is taken, though there is an end", timer);
  if (made.now != phase::arming) return;
  made.now = phase::pending;
  if (made.destroyed) made.now = phase::ended;
}

void judge::refuse(std::uint32_t timer, errc reason) {
  record& made = all_[timer];
  const bool may_be = is_closing_ || (made.group != 0 && groups_[made.group].ends);
  // "A schedule call beyond it is refused." (engine_options::max_pending)
  const bool no_place = capacity_ != 0 && (reason == errc{} || reason == errc::capacity_exceeded);
  left_out_ += no_place;
  if (!no_place && ((reason != errc{} && reason != errc::stopped) || !may_be))
    fault("#%u is refused by error %d", timer, static_cast<int>(reason));
  change(made);
  if (made.now != phase::arming) fault("#%u is refused, though it has run", timer);
  made.now = phase::ended;
}

void judge::change(record& changed) {
  ++changed.changes;
  ++events_;
}

void judge::touch(record& called) {
  change(called);
  if (called.lane != 0) ++higher_calls_;
}

void judge::begin_cancel(std::uint32_t timer) {
  touch(all_[timer]);
  ++all_[timer].doubts;
}

void judge::end_cancel(std::uint32_t timer, cancel_result answer) {
  record& asked = all_[timer];
  --asked.doubts;
  change(asked);
  const bool in_group = asked.now == phase::cancelled_with_group;
  switch (answer) {
    case cancel_result::cancelled:
      if (asked.now == phase::ended) fault("#%u was cancelled, though it had ended", timer);
      if (asked.now == phase::runs) fault("#%u was cancelled, though it runs", timer);
      if (asked.must_run) fault("#%u was cancelled, though it was said to be running", timer);
      // "Its captures are already destroyed" (cancel_result::cancelled)
      if (asked.owns && !asked.destroyed) fault("#%u was cancelled, and its captures live on", timer);
      asked.now = phase::ended;
      asked.ended_in_doubt = asked.doubts != 0;
      return;
    case cancel_result::running:
      if (asked.now == phase::runs) {
        asked.last = true;
      } else if (asked.destroyed && is_too_stale(asked)) {
        asked.now = phase::ended;
      } else if (is_closing(timer) || asked.doubts != 0 || is_stopping_) {
        asked.vague = true;  // that run, or the one that it has armed
      } else if (asked.now == phase::pending && !asked.vague) {
        if (asked.called == 0 && (is_held(asked) || (!asked.grace && filing(asked) > stage_now())))
          fault("#%u is running before its deadline", timer);
        asked.must_run = asked.last = true;
      }
      return;
    case cancel_result::gone:
      if (asked.destroyed && is_certain(asked) && is_too_stale(asked)) asked.now = phase::ended;
      if (asked.now == phase::pending && asked.doubts == 0 && !asked.vague && !in_group && !is_closing(timer) &&
          !is_stopping_)
        fault("#%u is gone, though it was pending", timer);
      if (asked.now == phase::runs) fault("#%u is gone, though it runs", timer);
      return;
  }
}

void judge::end_cancel_many(std::span<const std::uint32_t> asked, std::size_t answer) {
  std::size_t pending = 0, perhaps = 0;
  for (const std::uint32_t timer : asked) {
    record& each = all_[timer];
    --each.doubts;
    change(each);
    const bool was_due = each.grace && each.kept <= groups_[each.group].own;  // when its group was paused
    const bool starts = may_start(each) || (!is_held(each) && (was_due || filing(each) <= stage_now()));
    const bool is_sure = each.doubts == 0 && !each.vague && !each.must_run && !is_closing(timer) && !is_stopping_;
    if (each.now == phase::pending && is_sure && !starts) {
      ++pending;
      each.now = phase::ended;
    } else if (each.now == phase::pending || each.now == phase::cancelled_with_group) {
      ++perhaps;
      each.vague = true;
    } else if (each.now == phase::runs) {
      each.last = true;
    } else if (each.now == phase::ended && each.ran != 0 && each.doubts != 0) {
      ++perhaps;
    }
  }
  if (answer < pending || answer > pending + perhaps)
    fault("cancel_bulk of %zu answers %zu, not %zu to %zu", asked.size(), answer, pending, pending + perhaps);
}

void judge::begin_restart(std::uint32_t timer, ns at) {
  record& asked = all_[timer];
  touch(asked);
  asked.least = std::min(asked.doubts == 0 ? forever : asked.least, rounded_up(at, tick_));
  if (asked.doubts++ != 0) asked.vague = true;  // of two at once the last counts, and it is not known which that is
}

void judge::end_restart(std::uint32_t timer, ns at, unsigned thread, bool answer) {
  record& asked = all_[timer];
  --asked.doubts;
  change(asked);
  if (answer) count(asked, [](spec::counts& all) { ++all.restarted; });
  if (asked.vague || asked.now == phase::cancelled_with_group) return;
  if (answer) {
    if (asked.now == phase::ended && asked.ran == 0 && !asked.ended_in_doubt)
      fault("#%u was restarted, though it had ended", timer);
    if (asked.now != phase::pending) return;
    if (asked.must_run) fault("#%u was restarted, though it was said to be running", timer);
    asked.kept = rounded_up(at, tick_);
    const group_record& its = groups_[asked.group];
    if (asked.group != 0) asked.kept = minus(asked.kept, its.paused ? minus(stage_now(), its.own) : its.behind);
    asked.order = ++orders_;
    asked.thread = thread;
    asked.accepted = asked.grace = false;
    asked.moved = true;
    asked.floats = false;
    if (asked.destroyed && is_too_stale(asked)) asked.now = phase::ended;  // dropped before this call returned
  } else if (asked.doubts != 0) {
    asked.vague = true;
  } else if (asked.destroyed && is_too_stale(asked)) {
    asked.now = phase::ended;
  } else if (is_stopping_) {  // stop() has it
  } else if (asked.now == phase::pending && !is_closing(timer)) {
    if (is_held(asked) || (!may_start(asked) && !asked.grace && filing(asked) > stage_now() && !asked.must_run))
      fault("#%u was not restarted, though it was pending", timer);
    asked.must_run = true;
  }
}

// "Neither a pause nor a resumption has an effect once the engine has begun to stop." (groups.md) While is_stopping_ is
// set, that may have happened or not. So a pause then leaves the group unpaused, as members may run, but turned, as
// they may have lost time. A resumption counts in any case.
void judge::pause(unsigned group) {
  group_record& its = groups_[group];
  if (its.paused) return;
  its.paused = !is_stopping_;
  its.turned = true;
  its.own = minus(stage_now(), its.behind);
  for (record& each : all_) {
    if (each.group != group) continue;
    touch(each);
    if (each.doubts != 0 || may_start(each) || each.now == phase::arming) each.vague = true;
    each.grace = true;
    each.accepted = false;
  }
}

void judge::resume(unsigned group) {
  group_record& its = groups_[group];
  if (!its.paused) return;
  its.paused = false;
  its.behind = minus(stage_now(), its.own);
  for (record& each : all_) {
    if (each.group != group) continue;
    touch(each);
    if (each.doubts != 0 || may_start(each) || each.now == phase::arming) each.vague = true;
    each.accepted = false;
  }
}

void judge::cancel(unsigned group) {
  for (record& each : all_) {
    if (each.group != group) continue;
    touch(each);
    if (each.doubts != 0 || may_start(each) || each.now == phase::arming) each.vague = true;
    if (each.now == phase::pending && !each.vague) {
      each.now = phase::cancelled_with_group;
      each.grace = true;
    }
    if (each.now == phase::runs) each.last = each.left = true;
  }
}

void judge::begin_end_of(unsigned group, bool at_once) {
  groups_[group].ends = true;
  for (record& each : all_) {
    if (each.group == group) change(each);
  }
  if (at_once) return cancel(group);
  for (record& each : all_) each.vague |= each.group == group && each.now != phase::ended;
}

// "Cancels all its timers and waits for those that are running, except for the caller's own." (~timer_group)
void judge::end_end_of(unsigned group, std::optional<std::uint32_t> within) {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    record& each = all_[timer];
    if (each.group != group) continue;
    change(each);
    each.over = true;
    each.grace = each.must_run = false;
    if (each.now == phase::runs && within != timer) fault("#%u runs, though its group has ended", timer);
    if (each.now == phase::pending) each.now = phase::cancelled_with_group;
    each.vague = false;
  }
}

}  // namespace detent::worker_walks
