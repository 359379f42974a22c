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

// Checks what the run is told about its deadline.
void judge::check_report(std::uint32_t timer, const firing& told) {
  record& started = all_[timer];
  if (started.doubts != 0 && is_periodic(timer)) started.vague = true;  // its grid may be another one now
  if (started.doubts != 0 || started.vague || started.group != 0) return;
  const auto ns_of = [](time_point at) { return at.time_since_epoch().count(); };
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
  closing_.reset();
}

void judge::begin_run(std::uint32_t timer, const firing& told) {
  record& started = all_[timer];
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
  forget_grace();
  started.now = phase::runs;
  started.must_run = started.moved = false;
  ++started.runs;
  started.ran = ++runs_;
  if (started.lane != 0) ++higher_turns_;
  last_run_ = stage_now();
}

void judge::end_run(std::uint32_t timer, std::optional<ns> at) {
  record& ended = all_[timer];
  ended.now = phase::ended;
  closing_ = timer;
  if (at) ended.rate.next = *at;
  if (!at && is_periodic(timer)) at = ended.rate.next;
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
  closing_.reset();
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
  }
}

void judge::end_by_stop(const std::vector<unfired_timer>& returned) const {
  struct amount {
    std::uint64_t sure = 0, perhaps = 0, returned = 0;
  };
  std::map<std::uint64_t, amount> all;
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (each.now == phase::runs) fault("#%u has not ended", timer);
    if (each.must_run && is_sure(each)) fault("#%u does not run, though it was said to be running", timer);
    if (is_sure(each)) ++all[each.tag].sure;
    if (each.vague) ++all[each.tag].perhaps;
  }
  for (const unfired_timer& each : returned) {
    if (each.tag != 0) ++all[each.tag].returned;
  }
  for (const auto& [tag, counted] : all) {
    if (counted.returned < counted.sure || counted.returned > counted.sure + counted.perhaps)
      fault("stop() returns %llu of #%llu, not %llu to %llu", static_cast<unsigned long long>(counted.returned),
            static_cast<unsigned long long>(tag - 1), static_cast<unsigned long long>(counted.sure),
            static_cast<unsigned long long>(counted.sure + counted.perhaps));
  }
}

}  // namespace detent::worker_walks
