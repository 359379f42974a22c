// SPDX-License-Identifier: MIT
// What an engine must do in a history, by the multimap of support/drive_model.hpp and the arithmetic of periods.
#pragma once

#include "timer/tick_grid.hpp"

#include "search/histories/history.hpp"
#include "support/drive_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace detent::history {

// One run of a callback.
struct run {
  int id;
  nanoseconds_t deadline;
  std::uint64_t missed;
  bool operator==(const run&) const = default;
};

// What all worlds have: a history is done to two of them, which must report the same.
//
// Callbacks do nothing but log and re-arm themselves, so it makes no difference that the oracle arms again after the
// poll what the engine arms in it: a timer runs at most once in a poll.
class oracle {
 public:
  explicit oracle(const setting& where) : tick_(where.tick) {}

  // Empty, at this time.
  void begin(nanoseconds_t start) {
    timers_.clear();
    model_.emplace(duration(tick_));
    now_ = start;
  }
  nanoseconds_t now() const { return now_; }
  std::uint32_t made() const { return static_cast<std::uint32_t>(timers_.size()); }
  void schedule(const operation& step) {
    const int id = static_cast<int>(timers_.size());
    // A deadline may be past; a first delay that is negative counts as zero.
    const bool from_now = step.what == action::schedule || step.what == action::rearm;
    const nanoseconds_t deadline =
        detail::add_saturated(now_, from_now ? step.by : std::max<nanoseconds_t>(step.by, 0));
    timers_.push_back({step, deadline});
    model_->arm(id, detail::to_time(deadline));
  }
  bool cancel(std::uint32_t id) { return model_->cancel(static_cast<int>(id)); }
  bool restart(std::uint32_t id, nanoseconds_t by) {
    const int named = static_cast<int>(id);
    if (!model_->pending(named)) return false;
    model_->arm(named, detail::to_time(detail::add_saturated(now_, by)));
    timers_[id].anchor = detail::to_ns(model_->deadline(named));
    return true;
  }
  void advance(nanoseconds_t by) { now_ = detail::add_saturated(now_, by); }
  std::size_t poll(nanoseconds_t most);
  std::optional<nanoseconds_t> next() const {
    const auto next = model_->next_deadline();
    return next ? std::optional(detail::to_ns(*next)) : std::nullopt;
  }
  std::size_t pending() const { return model_->size(); }

  std::vector<run> fired;

 private:
  struct timer_state {
    operation plan;
    nanoseconds_t anchor;  // of the grid of a fixed rate: the next run, before it is rounded
    std::uint32_t runs = 0;
  };
  std::optional<nanoseconds_t> next_run(timer_state& each, run& reported) const;

  nanoseconds_t tick_;
  nanoseconds_t now_ = 0;
  std::optional<drive::timer_model> model_;
  std::vector<timer_state> timers_;
};

inline std::size_t oracle::poll(nanoseconds_t most) {
  std::vector<std::pair<int, nanoseconds_t>> again;
  std::size_t count = 0;
  for (; static_cast<nanoseconds_t>(count) < most; ++count) {
    const auto next = model_->take(detail::to_time(now_));
    if (!next) break;
    run reported{next->id, detail::to_ns(next->deadline), 0};
    if (auto deadline = next_run(timers_[static_cast<std::size_t>(next->id)], reported))
      again.emplace_back(next->id, *deadline);
    fired.push_back(reported);
  }
  for (auto [id, deadline] : again) model_->arm(id, detail::to_time(deadline));
  return count;
}

// When the timer that runs now runs again; and what this run reports of the periods that it stands for.
inline std::optional<nanoseconds_t> oracle::next_run(timer_state& each, run& reported) const {
  const operation& plan = each.plan;
  if (plan.what == action::schedule) return std::nullopt;
  ++each.runs;
  if (plan.what == action::rearm) {
    if (each.runs > plan.runs) return std::nullopt;
    return detail::add_saturated(now_, plan.period);
  }
  if (plan.what == action::fixed_delay) {
    each.anchor = detail::add_saturated(now_, plan.period);
  } else {
    if (plan.what == action::skip) {
      // A period is due when its deadline, rounded up, has come. Unsigned: the way there may pass the signed range.
      const nanoseconds_t reached = detail::tick_grid(tick_).round_down(now_);
      if (reached > each.anchor) {
        const std::uint64_t way = static_cast<std::uint64_t>(reached) - static_cast<std::uint64_t>(each.anchor);
        reported.missed = way / static_cast<std::uint64_t>(plan.period);
        each.anchor = static_cast<nanoseconds_t>(static_cast<std::uint64_t>(each.anchor) +
                                                 reported.missed * static_cast<std::uint64_t>(plan.period));
        if (reported.missed != 0) reported.deadline = detail::tick_grid(tick_).round_up(each.anchor);
      }
    }
    each.anchor = detail::add_saturated(each.anchor, plan.period);
  }
  if (each.runs == plan.runs) return std::nullopt;
  return each.anchor;
}

}  // namespace detent::history
