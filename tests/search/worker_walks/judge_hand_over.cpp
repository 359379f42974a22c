// SPDX-License-Identifier: MIT
// Executors: "a timer that came due and was handed over. Calling it runs the callback, unless a cancel() or a restart
// came first. If it is destroyed uncalled, a one-shot is dropped and counted as such; a periodic timer goes on with its
// next run, and counts this one as missed." (fired_timer)
#include "search/worker_walks/judge.hpp"

#include "search/worker_walks/stage.hpp"

#include "spec/time_rules.hpp"

#include "callers/engine_core.hpp"

#include <detent/detail/timer_access.hpp>

#include <algorithm>
#include <utility>

namespace detent::worker_walks {
namespace {

using access = detail::timer_access;
using word = detail::state_word;

// A fired_timer does not say for which arming it stands. An explicit instantiation may name private members.
judge::ticket look_into(const fired_timer& work);
template <auto Index, auto Word>
struct members_of_a_fired_timer {
  friend judge::ticket look_into(const fired_timer& work) { return {work.*Index, work.*Word}; }
};
template struct members_of_a_fired_timer<&fired_timer::index_, &fired_timer::word_>;

}  // namespace

judge::ticket judge::ticket_of(const fired_timer& work) { return look_into(work); }

std::uint64_t judge::word_of(const record& of) const {
  if (!of.handle) return 0;
  std::uint64_t found = 0;
  undisturbed([&] { found = detail::observe(access::core(of.handle)->node_at(access::index(of.handle)).pair); });
  return word::generation(found) == access::generation(of.handle) ? found : 0;
}

bool judge::is_handed_over(const record& of) const {
  return executor_ != 0 && word::state(word_of(of)) == detail::timer_state::dispatched;
}

bool judge::is_held(const record& of) const {
  return is_handed_over(of) && of.called == 0 &&
         std::find(held_.begin(), held_.end(), ticket{access::index(of.handle), word_of(of)}) != held_.end();
}

bool judge::is_closing(std::uint32_t timer) const {
  return std::find(closing_.begin(), closing_.end(), timer) != closing_.end();
}

std::optional<std::uint32_t> judge::find(const ticket& of) const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const detent::timer& its = all_[timer].handle;
    if (its && access::index(its) == of.index && access::generation(its) == word::generation(of.word)) return timer;
  }
  return std::nullopt;  // its schedule call has not returned
}

// "An executor is offered timers in that order", "including refused ones, if they are retried" (G16). Timers that are
// offered again come before all that have come due since.
void judge::offer(const ticket& of, const fired_timer& work) {
  end_refused();
  const auto timer = find(of);
  if (!timer || word_of(all_[*timer]) != of.word) return;
  const record& its = all_[*timer];
  if (work.tag() != its.tag || work.lane() != its.lane) fault("#%u is offered with another tag or lane", *timer);
  for (std::uint32_t other = 0; other != all_.size(); ++other) {
    const record& waits = all_[other];
    if (other != *timer && waits_for_offer(waits) && word::order(word_of(waits)) < word::order(of.word))
      fault("#%u overtakes #%u, which was handed over before", *timer, other);
  }
  if (is_plain(its)) check_early(*timer);
  if (!its.again) check_order(*timer);
}

// Under refusal_policy::run_inline a refused timer runs "on the worker; retried if executor::keeps_order()".
bool judge::keeps_refused() const {
  if (executor_ == 0) return false;
  const auto policy = static_cast<refusal_policy>(executor_ - 1);
  return policy == refusal_policy::retry || (policy == refusal_policy::run_inline && keeps_order_);
}

void judge::refuse_offer(const ticket& of) {
  ++counts_[0].refused;
  if (keeps_refused()) return;
  begin_call(0, of, static_cast<refusal_policy>(executor_ - 1) == refusal_policy::run_inline);
  calls_[0].by_engine = true;
}

// The worker has gone on since, so the engine has run or dropped it.
void judge::end_refused() {
  if (calls_[0].by_engine) end_call(0);
}

bool judge::others_call(unsigned thread) const {
  for (unsigned i = 0; i != calls_.size(); ++i) {
    if (i != thread && calls_[i].is_open) return true;
  }
  return false;
}

void judge::begin_call(unsigned thread, const ticket& of, bool runs) {
  std::erase(held_, of);
  call_under_way& its = calls_[thread] = {.is_open = true, .runs = runs, .timer = find(of), .began = stage_now()};
  if (!its.timer) {
    blind_drops_ += !runs;
    // Any of these may be the one that is dropped, even if it has run before.
    for (record& each : all_) each.vague |= !runs && !each.handle;
    unclear_misses_ |= !runs;
    return;
  }
  record& called = all_[*its.timer];
  its.is_valid = word_of(called) == of.word;
  its.may_start = may_start_in_group(called);
  ++called.called;
  called.doubts += !runs;
  change(called);
  its.changes = called.changes;
}

bool judge::may_start_in_group(const record& of) const {
  return of.now != phase::cancelled_with_group && due(of) != forever;
}

void judge::check_ticket(unsigned thread, std::uint32_t timer) const {
  const call_under_way& by = calls_[thread];
  if (!by.is_open || !by.runs) fault("#%u runs, though its ticket is not called", timer);
  if (by.timer && *by.timer != timer) fault("#%u runs by the ticket of #%u", timer, *by.timer);
  if (by.timer && !by.is_valid) fault("#%u runs by a ticket that is not valid", timer);
  // The group may have been resumed since.
  if (by.timer && !by.may_start && !may_start_in_group(all_[timer])) fault("#%u runs, and its group forbids it", timer);
}

void judge::end_call(unsigned thread) {
  const call_under_way its = std::exchange(calls_[thread], {});
  if (!its.timer) return;
  record& called = all_[*its.timer];
  --called.called;
  called.doubts -= !its.runs;
  close_run(thread);
  if (!its.is_valid || (its.runs && !its.may_start)) {
  } else if (!its.runs) {
    end_drop(called, its, thread);
  } else if (called.changes == its.changes && is_certain(called) && is_plain(called) && !is_too_stale(called) &&
             !is_stopping_) {
    fault("#%u does not run, though its ticket is called", *its.timer);
  }
  change(called);
}

// "The run is counted in metrics().missed, and the next period comes as if it had run." "A one-shot ends, and is
// counted as `dropped`." (overload.md)
void judge::end_drop(record& of, const call_under_way& its, unsigned thread) {
  const bool once = of.rate.kind == spec::repetition::once;
  const bool is_alone = of.changes == its.changes + (once && of.destroyed);
  record as_it_ended = of;
  const spec::period_run first = begin_period(of, its.began), last = begin_period(as_it_ended, stage_now());
  if (!is_alone || !is_certain(of) || is_stopping_ || first.missed != last.missed ||
      of.rate.next != as_it_ended.rate.next) {
    of.vague |= of.now != phase::ended && of.now != phase::cancelled_with_group;
    ++unclear_drops_;
    unclear_misses_ |= !once;
    return;
  }
  if (once) {
    of.now = phase::ended;
    if (of.owns && !of.destroyed) fault("#%u is dropped, and its captures live on", *its.timer);
    return count(of, [](spec::counts& all) { ++all.dropped; });
  }
  count(of, [&](spec::counts& all) { all.missed += first.missed + 1; });
  of.rate.end(its.began);
  of.kept = spec::rounded_up(of.rate.next, tick_);
  of.moved = false;
  of.floats = of.rate.kind == spec::repetition::fixed_delay;
  arm_again(of, thread);
  closing_[thread] = *its.timer;
  close_run(thread);
}

}  // namespace detent::worker_walks
