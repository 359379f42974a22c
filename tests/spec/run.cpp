// SPDX-License-Identifier: MIT
#include "spec/run.hpp"

#include <algorithm>
#include <utility>

namespace detent::spec {

run::run(std::vector<engine*> given, nanoseconds_t end, thread_id by)
    : given_(std::move(given)), end_(end), by_(by), now_(given_.front()->now()) {
  begin_round();
}

bool run::drives(const engine& of) const { return std::find(given_.begin(), given_.end(), &of) != given_.end(); }

void run::begin_poll() { given_[at_]->begin_pass({.how = drive::poll, .by = by_, .now = now_, .is_inferred = true}); }

void run::begin_round() {
  at_ = 0;
  begin_poll();
}

void run::end_poll() {
  ran_ += given_[at_]->end_pass({});
  if (++at_ != given_.size()) begin_poll();
}

void run::end_round() {
  while (at_ != given_.size()) end_poll();
}

// "run_for() and run_until() stop at each deadline on the way." (manual_clock) They may stop at other times as well,
// because next_deadline() may be early.
void run::reach(nanoseconds_t now) {
  if (now == now_) return;
  end_round();
  broke.require(now > now_, "time goes back");
  broke.require(now <= end_, "time goes beyond the end of a run");
  for (const engine* each : given_) {
    const std::optional<nanoseconds_t> next = each->next_deadline();
    broke.require(!next || *next >= now, "a run passes a deadline",
                  [&] { return std::to_string(*next) + ", and time is " + std::to_string(now) + " already"; });
  }
  now_ = now;
  for (engine* each : given_) each->move_to(now);
  begin_round();
}

// "What callbacks arm until `end` fires as well": in the poll under way, or in another round at that time.
void run::turn(engine& of, timer_id id) {
  const auto place = static_cast<std::size_t>(std::find(given_.begin(), given_.end(), &of) - given_.begin());
  if (at_ > place || (at_ == place && !of.may_have_turn(id))) {
    end_round();
    begin_round();
  }
  while (at_ != place) end_poll();
}

// "Returns how many callbacks ran inside the call, as poll() does. At the end now() is `end`. If `end` is
// time_point::max(), now() is the last deadline, so the call fires everything except members of paused groups. An `end`
// that is past moves no time and fires what is due." (manual_clock::run_until)
void run::returned(std::size_t ran, nanoseconds_t now) {
  end_round();
  const nanoseconds_t expected = end_ == end_of_time ? now_ : std::max(now_, end_);
  broke.require(now == expected, "where a run ends",
                [&] { return std::to_string(now) + ", and it should be " + std::to_string(expected); });
  for (const engine* each : given_)
    broke.require(!each->has_due_by(end_), "a run leaves over a timer that is due until its end");
  broke.require(ran == ran_, "a run returns how many callbacks ran",
                [&] { return std::to_string(ran) + ", and it was " + std::to_string(ran_); });
}

}  // namespace detent::spec
