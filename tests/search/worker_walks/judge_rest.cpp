// SPDX-License-Identifier: MIT
// The worker at rest, and the end.
#include "search/worker_walks/judge.hpp"

#include "search/worker_walks/stage.hpp"

#include "spec/time_rules.hpp"

#include "limits.hpp"

namespace detent::worker_walks {

void judge::fall_asleep(ns until) {
  end_refused();
  forget_grace();
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    if (all_[timer].must_run && !all_[timer].vague && all_[timer].doubts == 0 && all_[timer].called == 0)
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
    // It has been refused, or another one before it.
    if (waits_for_offer(each) && until > spec::plus(stage_now(), detail::limits::retry_after))
      fault("the worker sleeps until %lld, and #%u waits to be offered", static_cast<long long>(until - begin_), timer);
  }
}

void judge::wait(ns since) const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    if (is_sure(all_[timer]) && filing(all_[timer]) <= since)
      fault("the worker waits at %lld, and #%u is due at %lld", static_cast<long long>(stage_now() - begin_), timer,
            static_cast<long long>(filing(all_[timer]) - begin_));
  }
}

void judge::end() {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (each.now == phase::runs) fault("#%u has not ended", timer);
    if (is_certain(each) && due(each) != forever) fault("#%u never ran", timer);
    const bool has_ended = each.now == phase::ended || each.now == phase::cancelled_with_group;
    if (has_ended && !each.vague && each.owns && !each.destroyed)
      fault("#%u has ended, and its captures live on", timer);
  }
  end_refused();
}

void judge::check_empty() const {
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    if (all_[timer].handle.pending()) fault("#%u is pending, and drain_for ends", timer);
  }
}

// "Returns every timer that had not ended, once each." (engine::stop)
void judge::end_by_stop(const std::vector<unfired_timer>& returned) {
  end_refused();
  std::map<detent::timer, unsigned> all;
  for (const unfired_timer& each : returned) ++all[each.handle];
  for (std::uint32_t timer = 0; timer != all_.size(); ++timer) {
    const record& each = all_[timer];
    if (each.now == phase::runs) fault("#%u has not ended", timer);
    if (each.must_run && is_certain(each)) fault("#%u does not run, though it was said to be running", timer);
    if (!each.handle) continue;
    const unsigned least = is_certain(each) ? 1u : 0u, most = each.vague ? 1u : least, found = all[each.handle];
    if (found < least || found > most) fault("stop() returns #%u %u times, not %u to %u", timer, found, least, most);
  }
}

}  // namespace detent::worker_walks
