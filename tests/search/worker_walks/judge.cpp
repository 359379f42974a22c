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
    if (waits_for_offer(each)) first = std::min(first, plus(stage_now(), detail::limits::retry_after));
  }
  return first;
}

// --- The worker

void judge::check_early(std::uint32_t timer) const {
  const record& started = all_[timer];
  const ns now = stage_now();
  if (started.vague) return;
  const group_record& its = groups_[started.group];
  // A timer that was handed over keeps its start, although its group has lost some time since (groups.md).
  if (started.called != 0 && its.turned && started.group != 0) return;
  if (its.paused && started.group != 0) {
    if (started.kept > its.own || !started.grace) fault("#%u runs in a paused group", timer);
    return;
  }
  const ns earliest = started.doubts == 0 ? due(started) : std::min(due(started), started.least);
  if (now < earliest) fault("#%u runs %lld ns early", timer, static_cast<long long>(earliest - now));
}

void judge::check_order(std::uint32_t timer) const {
  const record& started = all_[timer];
  if ((!is_certain(started) || started.floats) && started.now != phase::arming) return;
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
      // Without an executor the worker looks for them after each callback, unless they have come in often.
      const bool looks = higher_turns_ + higher_calls_ + calls_before_ < detail::limits::interruptions;
      const ns known = looks && executor_ == 0 ? std::max(pass_reading_, last_run_) : pass_reading_;
      if (filing(waits) <= known) fault("#%u runs before #%u, which is of a higher lane", timer, other);
    }
  }
}

// Checks what the run learns about its deadline.
void judge::check_report(std::uint32_t timer, const firing& reported) {
  record& started = all_[timer];
  if (started.doubts != 0 && is_periodic(timer)) started.vague = true;  // its grid may be another one now
  const auto ns_of = [](time_point at) { return at.time_since_epoch().count(); };
  // "A callback that would start later than this is stale." (timer_options::max_lateness)
  const bool is_stale = started.late && reported.lateness().count() > *started.late;
  if (is_stale && !started.runs_stale) fault("#%u runs, though it is too stale", timer);
  if (reported.stale() != is_stale) fault("firing::stale() of #%u is %s", timer, is_stale ? "false" : "true");
  if (started.doubts != 0 || started.vague || started.group != 0) return;
  if (std::exchange(started.floats, false)) started.kept = std::max(started.kept, ns_of(reported.deadline()));
  const spec::period_run expected = begin_period(started, ns_of(reported.started()));
  if (ns_of(reported.deadline()) != expected.deadline || reported.missed() != expected.missed)
    fault("#%u runs for %lld with %llu missed, not for %lld with %llu", timer,
          static_cast<long long>(ns_of(reported.deadline()) - begin_),
          static_cast<unsigned long long>(reported.missed()), static_cast<long long>(expected.deadline - begin_),
          static_cast<unsigned long long>(expected.missed));
}

spec::period_run judge::begin_period(record& started, ns at) {
  if (started.rate.kind == spec::repetition::once) return {.deadline = started.kept};
  if (started.moved) started.rate.next = started.kept;  // a restart starts the grid again
  return started.rate.begin(started.kept, at, tick_);
}

void judge::forget_grace() {
  for (record& each : all_) each.grace = false;
  close_run(0);
}

// "The next run comes `delay` after the end of the last one." (engine::schedule_with_fixed_delay) The engine reads the
// clock for that between the end of the callback and its next step.
void judge::close_run(unsigned thread) {
  if (!closing_[thread]) return;
  record& ended = all_[*std::exchange(closing_[thread], std::nullopt)];
  if (!ended.floats || !is_certain(ended) || !ended.handle || is_stopping_) return;
  std::optional<time_point> at;
  undisturbed([&] { at = ended.handle.deadline(); });
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
  if (!is_certain(of)) {
    unclear_drops_ += of.late.has_value() && of.now != phase::ended;
    return;
  }
  // "How a stale timer is handled: dropped and counted" (timer_options::stale)
  if (!is_too_stale(of) && is_closing(timer)) return;
  if (!is_too_stale(of)) fault("#%u is destroyed, though it is pending", timer);
  of.now = phase::ended;
  of.must_run = false;
  count(of, [](spec::counts& all) { ++all.dropped; });
}

void judge::throws(unsigned thread, std::uint32_t timer) {
  thrown_[thread] = timer;
  count(all_[timer], [](spec::counts& all) { ++all.failed; });
}

void judge::note_failure(unsigned thread, const failed_callback& reported) {
  if (!thrown_[thread]) fault("a callback has not thrown");
  const record& of = all_[*std::exchange(thrown_[thread], std::nullopt)];
  if (reported.tag != of.tag)
    fault("a callback of tag %llu has thrown, not of %llu", static_cast<unsigned long long>(of.tag),
          static_cast<unsigned long long>(reported.tag));
}

void judge::begin_run(unsigned thread, std::uint32_t timer, const firing& reported) {
  record& started = all_[timer];
  // "Gets what callbacks throw, on the thread that ran them" (engine_options::on_error)
  if (thrown_[thread]) fault("#%u has thrown, and on_error has not heard of it", *thrown_[thread]);
  if (started.destroyed) fault("#%u runs, though its captures are destroyed", timer);
  // "No timer of the group starts once it has returned" (~timer_group)
  if (started.over) fault("#%u runs, though its group has ended", timer);
  if (executor_ != 0) check_ticket(thread, timer);
  for (auto& each : closing_)
    if (each == timer) each.reset();  // its deadline is that of this run by now
  switch (started.now) {
    case phase::unused:
    case phase::ended:
      if (started.vague && started.ran == 0) break;
      fault("#%u runs, though it has ended", timer);
    case phase::runs: fault("#%u runs twice at a time", timer);
    case phase::cancelled_with_group:
      if (!started.grace && started.doubts == 0 && started.called == 0)
        fault("#%u runs, though its group was cancelled", timer);
      break;
    case phase::arming: check_early(timer); break;
    case phase::pending:
      check_early(timer);
      if (executor_ == 0) check_order(timer);
  }
  check_report(timer, reported);
  change(started);
  count(started, [&reported](spec::counts& all) {
    ++all.fired;
    all.missed += reported.missed();
  });
  if (thread == 0) forget_grace();
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

void judge::end_run(unsigned thread, std::uint32_t timer, std::optional<ns> at) {
  record& ended = all_[timer];
  change(ended);
  ended.now = phase::ended;
  closing_[thread] = timer;
  if (ended.used_up) return;
  if (at) ended.rate.next = *at;
  if (!at && is_periodic(timer)) {
    ended.rate.end(stage_now());
    ended.floats = ended.rate.kind == spec::repetition::fixed_delay;
    at = ended.rate.next;
  }
  if (at && ended.left) ended.now = phase::cancelled_with_group;
  if (!at || ended.last) return;
  ended.kept = rounded_up(*at, tick_);
  ended.vague |= ended.doubts != 0 || ended.group != 0;  // the group's time may have gone on by when it is armed
  arm_again(ended, thread);
}

void judge::arm_again(record& ended, unsigned thread) {
  ended.now = phase::pending;
  ended.order = ++orders_;
  ended.thread = thread;
  ended.accepted = false;
  ended.ran = 0;
}

void judge::begin_pass(ns reading) {
  ++passes_;
  pass_reading_ = reading;
  higher_turns_ = 0;
  calls_before_ = std::exchange(higher_calls_, 0);
  last_run_ = INT64_MIN;
  end_refused();
  close_run(0);
  for (record& each : all_) {
    each.accepted = false;
    each.again = is_handed_over(each);
    if (!is_sure(each) || !each.handle) continue;
    const std::uint64_t word = word_of(each);
    each.accepted =
        detail::state_word::state(word) == detail::timer_state::armed && (word & detail::state_word::unfiled) == 0;
  }
}

}  // namespace detent::worker_walks
