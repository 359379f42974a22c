// SPDX-License-Identifier: MIT
#include "careful.hpp"

#include <algorithm>

namespace detent::durable::detail {
namespace {

constexpr std::uint32_t most_doublings = 12;  // more than an hour

}  // namespace

careful_runs::order::value_type careful_runs::turn_of(std::uint64_t id, const run& its) noexcept {
  return {-std::int64_t{its.was.marks}, -std::int64_t{its.was.lost}, its.turn, id};
}

careful_runs::time careful_runs::trial_of(const run& its) const noexcept {
  return limits_.trial * (1u << std::min(std::max(its.was.marks, 1u) - 1, most_doublings));
}

void careful_runs::add(std::uint64_t id, std::uint32_t attempt, std::uint32_t max_attempts) {
  over(id);
  const attempts was = attempts::of(attempt);
  if (was.lost != 0 && was.next() > max_attempts) {
    to_give_up_.push_back(id);
    return;
  }
  const run& its =
      runs_.emplace(id, run{.was = was, .on_last_attempt = was.next() >= max_attempts, .turn = added_++}).first->second;
  queue_of(its).insert(turn_of(id, its));
}

void careful_runs::go_to(std::uint64_t id, run& its, stage next, time until) {
  if (its.at == stage::waits) queue_of(its).erase(turn_of(id, its));
  if (its.at == stage::is_on_trial) {
    --on_trial_;
    if (its.starts_alone()) lone_trial_ = false;
  }
  if (its.at == stage::has_passed) --settling_;
  ends_.erase({its.ends_at, id});
  its.at = next;
  its.ends_at = until;
  if (next == stage::is_on_trial) {
    ++on_trial_;
    if (its.starts_alone()) lone_trial_ = true;
  }
  if (next == stage::has_passed) ++settling_;
  if (until != time::max()) ends_.emplace(until, id);
}

void careful_runs::begun(std::uint64_t id, time at) {
  const auto found = runs_.find(id);
  if (found != runs_.end() && found->second.at == stage::is_on_trial)
    go_to(id, found->second, stage::is_on_trial, at + trial_of(found->second));
}

void careful_runs::over(std::uint64_t id) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return;
  go_to(id, found->second, stage::has_settled, time::max());
  runs_.erase(found);
}

void careful_runs::end_stages(time now, decision& to) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const std::uint64_t id = ends_.begin()->second;
    run& its = runs_.at(id);
    if (its.at == stage::has_passed) {
      over(id);
      continue;
    }
    to.marks.push_back({id, its.was.passed().stored(), false});
    go_to(id, its, stage::has_passed, now + limits_.settle);
  }
}

void careful_runs::start(std::uint64_t id, decision& to) {
  run& its = runs_.at(id);
  go_to(id, its, stage::is_on_trial, time::max());  // the trial ends a while after the run has begun
  to.marks.push_back({id, its.was.started().stored(), true});
}

careful_runs::decision careful_runs::decide(time now) {
  const auto first_of = [](const order& some) { return std::get<3>(*some.begin()); };
  decision out;
  out.given_up = std::exchange(to_give_up_, {});
  end_stages(now, out);
  if (lone_trial_) return out;
  if (!last_attempts_.empty() && on_trial_ == 0 && settling_ == 0) {
    start(first_of(last_attempts_), out);
    return out;
  }
  // Waits until half of the places are free, so that one write marks many runs.
  if (on_trial_ > limits_.at_once / 2) return out;
  while (!waiting_.empty() && on_trial_ < limits_.at_once && !lone_trial_) {
    if (runs_.at(first_of(waiting_)).starts_alone() && on_trial_ != 0) break;
    start(first_of(waiting_), out);
  }
  return out;
}

}  // namespace detent::durable::detail
