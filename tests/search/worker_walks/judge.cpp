// SPDX-License-Identifier: MIT
#include "search/worker_walks/judge.hpp"

#include "search/worker_walks/stage.hpp"

#include "spec/time_rules.hpp"

#include "callers/engine_core.hpp"
#include "limits.hpp"

#include <detent/detail/timer_access.hpp>

#include <algorithm>
#include <utility>

namespace detent::worker_walks {

using spec::plus;
using spec::rounded_down;
using spec::rounded_up;

// --- Times

ns judge::due(const record& of, ns kept) const {
  if (of.group == 0 || kept == forever) return kept;
  const group_record& its = groups_[of.group];
  return its.paused ? forever : rounded_up(plus(kept, its.behind), tick_);
}

ns judge::filing(const record& of) const {
  const ns at = due(of);
  if (at == forever) return at;
  return rounded_down(spec::roundest(at, of.slack), tick_);
}

bool judge::is_plain(const record& of) const { return of.group == 0 || !groups_[of.group].turned; }

ns judge::next() const {
  ns first = forever;
  for (const record& each : all_) {
    // A timer whose state is unknown is waited for until its time, and not longer.
    if (each.now == phase::pending && (is_sure(each) || filing(each) > stage_now()))
      first = std::min(first, filing(each));
  }
  return first;
}

// --- The worker

void judge::check_early(std::uint32_t timer) const {
  const record& started = all_[timer];
  const ns now = stage_now();
  if (started.vague) return;
  const group_record& its = groups_[started.group];
  if (its.paused && started.group != 0) {
    if (started.kept > its.own || !started.grace) fault("#%u runs in a paused group", timer);
    return;
  }
  const ns earliest = started.doubts == 0 ? due(started) : std::min(due(started), started.least);
  if (now < earliest) fault("#%u runs %lld ns early", timer, static_cast<long long>(earliest - now));
}

void judge::check_order(std::uint32_t timer) const {
  const record& started = all_[timer];
  if (!is_sure(started) && started.now != phase::arming) return;
  if (started.vague || started.doubts != 0 || !is_plain(started)) return;
  const ns deadline = due(started);
  for (std::uint32_t other = 0; other != all_.size(); ++other) {
    const record& waits = all_[other];
    if (other == timer || !is_sure(waits) || waits.must_run || !is_plain(waits)) continue;
    const ns its = due(waits);
    if (waits.lane == started.lane && waits.slack == 0) {
      if (its == deadline && waits.thread == started.thread && waits.order < started.order &&
          started.now != phase::arming)
        fault("#%u runs before #%u, which the same thread armed before for the same time", timer, other);
      if (its < deadline && waits.accepted)
        fault("#%u runs before #%u, which is due earlier and was known", timer, other);
    }
    if (waits.lane > started.lane && waits.accepted) {
      // They are looked for after each callback, except once where they have come in often.
      const bool looks = higher_turns_ + higher_calls_ + calls_before_ < detail::limits::interruptions;
      const ns known = looks ? std::max(pass_reading_, last_run_) : pass_reading_;
      if (filing(waits) <= known) fault("#%u runs before #%u, which is of a higher lane", timer, other);
    }
  }
}

// Checks what the run learns about its deadline.
void judge::check_report(std::uint32_t timer, const firing& told) {
  record& started = all_[timer];
  if (started.doubts != 0 && is_periodic(timer)) started.vague = true;  // its grid may be another one now
  const auto ns_of = [](time_point at) { return at.time_since_epoch().count(); };
  // "A callback that would start later than this is stale." (timer_options::max_lateness)
  const bool is_stale = started.late && told.lateness().count() > *started.late;
  if (is_stale && !started.runs_stale) fault("#%u runs, though it is too stale", timer);
  if (told.stale() != is_stale) fault("firing::stale() of #%u is %s", timer, is_stale ? "false" : "true");
  if (started.doubts != 0 || started.vague || started.group != 0) return;
  if (std::exchange(started.floats, false)) started.kept = std::max(started.kept, ns_of(told.deadline()));
  spec::period_run expected{.deadline = started.kept};
  if (is_periodic(timer)) {
    if (started.moved) started.rate.next = started.kept;  // a restart begins the grid anew
    expected = started.rate.begin(started.kept, ns_of(told.started()), tick_);
  }
  if (ns_of(told.deadline()) != expected.deadline || told.missed() != expected.missed)
    fault("#%u runs for %lld with %llu missed, not for %lld with %llu", timer,
          static_cast<long long>(ns_of(told.deadline()) - begin_), static_cast<unsigned long long>(told.missed()),
          static_cast<long long>(expected.deadline - begin_), static_cast<unsigned long long>(expected.missed));
}

void judge::forget_grace() {
  for (record& each : all_) each.grace = false;
  close_run();
}

// "The next run comes `delay` after the end of the last one." (engine::schedule_with_fixed_delay) The engine reads the
// clock for that between the end of the callback and its next step.
void judge::close_run() {
  if (!closing_) return;
  record& ended = all_[*std::exchange(closing_, std::nullopt)];
  if (!ended.floats || !is_certain(ended) || !ended.handle) return;
  const auto at = ended.handle.deadline();
  const ns latest = rounded_up(plus(stage_now(), ended.rate.period), tick_);
  if (!at) fault("a timer of a fixed delay has ended");
  const ns next = at->time_since_epoch().count();
  if (next < ended.kept || next > latest)
    fault("a fixed delay ends at %lld, not at %lld to %lld", static_cast<long long>(next - begin_),
          static_cast<long long>(ended.kept - begin_), static_cast<long long>(latest - begin_));
  ended.kept = next;
  ended.floats = false;
  change(ended);
}

bool judge::is_too_stale(const record& of) const {
  if (!of.late || of.runs_stale) return false;
  return (of.group != 0 && groups_[of.group].turned) || spec::minus(stage_now(), due(of)) > *of.late;
}

// "A one-shot ends exactly once" (G1): the captures of a timer are destroyed at its end, and at no other time.
void judge::captures_destroyed(std::uint32_t timer) {
  record& of = all_[timer];
  of.destroyed = true;
  change(of);
  if (is_ending_) return;
  if (of.now == phase::runs) fault("the captures of #%u are destroyed in its run", timer);
  if (!is_certain(of)) return;
  // "How a stale timer is handled: dropped and counted" (timer_options::stale)
  if (!is_too_stale(of) && closing_ == timer) return;
  if (!is_too_stale(of)) fault("#%u is destroyed, though it is pending", timer);
  of.now = phase::ended;
  of.must_run = false;
  count(of, [](spec::counts& all) { ++all.dropped; });
}

void judge::throws(std::uint32_t timer) {
  thrown_ = timer;
  count(all_[timer], [](spec::counts& all) { ++all.failed; });
}

void judge::hear_of_failure(const failed_callback& told) {
  if (!thrown_) fault("a callback has not thrown");
  const record& of = all_[*std::exchange(thrown_, std::nullopt)];
  if (told.tag != of.tag)
    fault("a callback of tag %llu has thrown, not of %llu", static_cast<unsigned long long>(of.tag),
          static_cast<unsigned long long>(told.tag));
}

void judge::begin_run(std::uint32_t timer, const firing& told) {
  record& started = all_[timer];
  // "Gets what callbacks throw, on the thread that ran them" (engine_options::on_error)
  if (thrown_) fault("#%u has thrown, and on_error has not heard of it", *thrown_);
  if (started.destroyed) fault("#%u runs, though its captures are destroyed", timer);
  // "No timer of the group starts once it has returned" (~timer_group)
  if (started.over) fault("#%u runs, though its group has ended", timer);
  if (closing_ == timer) closing_.reset();  // its deadline is that of this run by now
  switch (started.now) {
    case phase::unused:
    case phase::ended:
      if (started.vague && started.ran == 0) break;
      fault("#%u runs, though it has ended", timer);
    case phase::runs: fault("#%u runs twice at a time", timer);
    case phase::cancelled_with_group:
      if (!started.grace && started.doubts == 0) fault("#%u runs, though its group was cancelled", timer);
      break;
    case phase::arming: check_early(timer); break;
    case phase::pending: check_early(timer); check_order(timer);
  }
  check_report(timer, told);
  change(started);
  count(started, [&told](spec::counts& all) {
    ++all.fired;
    all.missed += told.missed();
  });
  forget_grace();
  started.now = phase::runs;
  started.must_run = started.moved = false;
  ++started.runs;
  // "The timer ends after this many runs." (periodic_options::runs)
  if (started.used_up) fault("#%u has had all its runs, and runs", timer);
  started.used_up = started.runs_left != 0 && --started.runs_left == 0;
  started.ran = ++runs_;
  if (started.lane != 0) ++higher_turns_;
  last_run_ = stage_now();
}

void judge::end_run(std::uint32_t timer, std::optional<ns> at) {
  record& ended = all_[timer];
  change(ended);
  ended.now = phase::ended;
  closing_ = timer;
  if (ended.used_up) return;
  if (at) ended.rate.next = *at;
  if (!at && is_periodic(timer)) {
    ended.rate.end(stage_now());
    ended.floats = ended.rate.kind == spec::repetition::fixed_delay;
    at = ended.rate.next;
  }
  if (at && ended.left) ended.now = phase::cancelled_with_group;
  if (!at || ended.last) return;
  ended.now = phase::pending;
  ended.kept = rounded_up(*at, tick_);
  ended.vague |= ended.doubts != 0 || ended.group != 0;  // the group's time may have gone on by when it is armed
  ended.order = ++orders_;
  ended.thread = 0;
  ended.accepted = false;
  ended.ran = 0;
}

void judge::begin_pass(ns reading) {
  ++passes_;
  pass_reading_ = reading;
  higher_turns_ = 0;
  calls_before_ = std::exchange(higher_calls_, 0);
  last_run_ = INT64_MIN;
  close_run();
  using access = detail::timer_access;
  for (record& each : all_) {
    each.accepted = false;
    if (!is_sure(each) || !each.handle) continue;
    const std::uint64_t word = detail::observe(access::core(each.handle)->node_at(access::index(each.handle)).pair);
    each.accepted = detail::state_word::generation(word) == access::generation(each.handle) &&
                    detail::state_word::state(word) == detail::timer_state::armed &&
                    (word & detail::state_word::unfiled) == 0;
  }
}

void judge::fall_asleep(ns until) {
  forget_grace();
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    if (all_[timer].must_run && !all_[timer].vague && all_[timer].doubts == 0)
      fault("#%u does not run, though it was said to be running", timer);
  }
  sleep_on(until);
}

void judge::sleep_on(ns until) const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (is_sure(each) && filing(each) < until)
      fault("the worker sleeps until %lld, and #%u is due at %lld", static_cast<long long>(until - begin_), timer,
            static_cast<long long>(filing(each) - begin_));
  }
}

void judge::wait(ns since) const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    if (is_sure(all_[timer]) && filing(all_[timer]) <= since)
      fault("the worker waits at %lld, and #%u is due at %lld", static_cast<long long>(stage_now() - begin_), timer,
            static_cast<long long>(filing(all_[timer]) - begin_));
  }
}

void judge::end() const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (each.now == phase::runs) fault("#%u has not ended", timer);
    if (is_sure(each) && due(each) != forever) fault("#%u never ran", timer);
    const bool has_ended = each.now == phase::ended || each.now == phase::cancelled_with_group;
    if (has_ended && !each.vague && each.owns && !each.destroyed)
      fault("#%u has ended, and its captures live on", timer);
  }
}

// "Returns every timer that had not ended, once each." (engine::stop)
void judge::end_by_stop(const std::vector<unfired_timer>& returned) const {
  std::map<detent::timer, unsigned> all;
  for (const unfired_timer& each : returned) ++all[each.handle];
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (each.now == phase::runs) fault("#%u has not ended", timer);
    if (each.must_run && is_sure(each)) fault("#%u does not run, though it was said to be running", timer);
    if (!each.handle) continue;
    const unsigned least = is_certain(each) ? 1u : 0u, most = each.vague ? 1u : least, found = all[each.handle];
    if (found < least || found > most) fault("stop() returns #%u %u times, not %u to %u", timer, found, least, most);
  }
}

}  // namespace detent::worker_walks
