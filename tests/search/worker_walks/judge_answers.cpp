// SPDX-License-Identifier: MIT
// Questions in the middle of all: what is pending, where there are places, and the counts.
#include "search/worker_walks/judge.hpp"

#include "search/worker_walks/stage.hpp"

namespace detent::worker_walks {

judge::before judge::begin_question() const {
  before asked;
  for (const record& each : all_) asked.push_back(each.changes);
  return asked;
}

// "Whether the callback will start (again) unless something else is done." (timer::pending) The engine decides that a
// callback starts before the callback reports it, so no timer that is due is sure.
std::optional<bool> judge::was_pending(const before& asked, std::uint32_t timer) const {
  const record& of = all_[timer];
  const bool may_change = of.vague || of.doubts != 0 || of.grace || of.must_run || is_closing(timer) || may_start(of);
  if (!of.handle || timer >= asked.size() || asked[timer] != of.changes || may_change) return std::nullopt;
  if (is_stopping_ && of.now != phase::ended) return std::nullopt;  // stop() may have it
  switch (of.now) {
    case phase::pending: return is_held(of) || filing(of) > stage_now() ? std::optional(true) : std::nullopt;
    case phase::runs: return is_periodic(timer) && !of.last && !of.used_up;
    case phase::ended:
    case phase::cancelled_with_group: return false;
    default: return std::nullopt;
  }
}

void judge::answer(const before& asked, std::uint32_t timer, bool pending, std::optional<time_point> deadline) const {
  const record& of = all_[timer];
  const std::optional<bool> expected = was_pending(asked, timer);
  if (!expected) return;
  if (pending != *expected) fault("#%u is%s pending, by its handle", timer, pending ? "" : " not");
  if (deadline.has_value() != *expected) fault("#%u has %s deadline", timer, deadline ? "a" : "no");
  // "When it is due, rounded up to the engine's tick; time_point::max() while its group is paused." (timer::deadline)
  if (deadline && is_sure(of) && deadline->time_since_epoch().count() != due(of))
    fault("#%u is due at %lld by its handle, not at %lld", timer,
          static_cast<long long>(deadline->time_since_epoch().count() - begin_),
          static_cast<long long>(due(of) - begin_));
}

// "Returns every pending timer, while the engine goes on. Each is reported as it was at some moment of the call; timers
// that come or end during the call may be missing." (engine::list_pending)
void judge::answer(const before& asked, const std::vector<pending_timer>& listed) const {
  std::map<detent::timer, const pending_timer*> found;
  for (const pending_timer& each : listed) {
    if (!found.emplace(each.handle, &each).second) fault("a timer is listed twice");
  }
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& of = all_[timer];
    const std::optional<bool> expected = was_pending(asked, timer);
    if (!expected) continue;
    const auto its = found.find(of.handle);
    if ((its != found.end()) != *expected) fault("#%u is%s listed", timer, *expected ? " not" : "");
    if (its == found.end()) continue;
    const pending_timer& reported = *its->second;
    if (reported.tag != of.tag) fault("#%u is listed with another tag", timer);
    if (is_sure(of) && reported.deadline.time_since_epoch().count() != due(of))
      fault("#%u is listed for %lld, not for %lld", timer,
            static_cast<long long>(reported.deadline.time_since_epoch().count() - begin_),
            static_cast<long long>(due(of) - begin_));
  }
}

// "Most timers pending at once, exact" (engine_options::max_pending); "a timer's place is free before `cancel()`
// returns, and that of a one-shot before its callback starts" (G25). Nothing is checked if anything else happened
// during the call.
void judge::check_places(std::uint64_t since, std::size_t count, std::size_t taken) const {
  if (capacity_ == 0 || since != events_ || is_closing_) return;
  std::size_t sure = 0, most = 0;
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& of = all_[timer];
    const bool has_run = of.now == phase::runs && !is_periodic(timer);
    const bool may_have_none = of.vague || of.doubts != 0 || is_closing(timer);
    if (is_held(of) || (is_sure(of) && !may_have_none && filing(of) > stage_now())) ++sure;
    if ((of.now != phase::ended && of.now != phase::unused && !has_run) || may_have_none) ++most;
  }
  if (taken != 0 && sure + taken > capacity_)
    fault("%zu timers are taken, and %zu were pending of at most %zu", taken, sure, capacity_);
  if (taken < count && most - count + taken < capacity_)
    fault("%zu timers are taken of %zu, and at most %zu were pending of %zu", taken, count, most - count, capacity_);
}

void judge::answer(const spec::counts& asked, const engine_metrics& now) const {
  const auto check = [](const char* what, std::uint64_t reported, std::uint64_t least) {
    if (reported < least)
      fault("%s is %llu, and was %llu before", what, static_cast<unsigned long long>(reported),
            static_cast<unsigned long long>(least));
  };
  check("scheduled", now.scheduled, asked.scheduled);
  check("fired", now.fired, asked.fired);
  check("restarted", now.restarted, asked.restarted);
  check("failed", now.failed, asked.failed);
  check("dropped", now.dropped, asked.dropped);
  check("missed", now.missed, asked.missed);
  // "Never negative" (engine::pending)
  if (now.pending > all_.size() + 1) fault("%llu timers are pending", static_cast<unsigned long long>(now.pending));
}

// "At rest: scheduled = expired + cancelled + returned + dropped + pending." (engine_metrics)
void judge::check_at_rest(unsigned label, const engine_metrics& now) const {
  const spec::counts& its = counts_[label];
  const auto check = [label](const char* what, std::uint64_t reported, std::uint64_t expected) {
    if (reported != expected)
      fault("of label %u, %s is %llu and should be %llu", label, what, static_cast<unsigned long long>(reported),
            static_cast<unsigned long long>(expected));
  };
  check("scheduled", now.scheduled, its.scheduled);
  check("fired", now.fired, its.fired);
  check("restarted", now.restarted, its.restarted);
  check("failed", now.failed, its.failed);
  if (!unclear_misses_) check("missed", now.missed, its.missed);
  check("the sum of all ends", now.expired + now.cancelled + now.returned + now.dropped + now.pending, now.scheduled);
  std::uint64_t least = 0, most = 0;
  for (const record& of : all_) {
    if ((label != 0 && of.label != label) || !of.handle) continue;
    if (is_certain(of)) ++least;
    if (is_certain(of) || of.vague) ++most;
  }
  if (now.pending < least || now.pending > most)
    fault("of label %u, %llu timers are pending, not %llu to %llu", label, static_cast<unsigned long long>(now.pending),
          static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
  if (now.dropped < its.dropped || now.dropped > its.dropped + unclear_drops_ + blind_drops_)
    fault("of label %u, %llu timers are dropped, and not %llu", label, static_cast<unsigned long long>(now.dropped),
          static_cast<unsigned long long>(its.dropped));
  if (label != 0) return;
  check("refused", now.refused, its.refused);
  // A timer that was refused and then cancelled counts until the next offer.
  if (!keeps_refused()) check("queued", now.queued, 0);
  if (!is_closing_) check("over_capacity", now.over_capacity, left_out_);
}

}  // namespace detent::worker_walks
