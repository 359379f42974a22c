// SPDX-License-Identifier: MIT
#include "model.hpp"

namespace detent::sim {

void model::open(nanoseconds_t tick, std::size_t capacity) {
  ++epoch_;
  tick_ = tick;
  capacity_ = capacity;
  places_ = 0;
  of_epoch_.clear();
  waiting_.clear();
  reported = {};
}

account& model::make() {
  account& made = accounts_.emplace_back();
  made.id = static_cast<timer_id>(accounts_.size());
  made.epoch = epoch_;
  return made;
}

bool model::has_place(const account& timer) const noexcept {
  return timer.pending() || (timer.now == phase::firing && timer.periodic());
}

// After a change of phase.
void model::recount(account& timer, bool had_place) {
  if (timer.epoch != epoch_) return;
  places_ += has_place(timer) ? 1u : 0u;
  places_ -= had_place ? 1u : 0u;
}

void model::leave_waiting(account& timer) {
  if (timer.now == phase::waiting) waiting_.erase({timer.deadline, timer.arming, timer.id});
}

void model::scheduled(account& timer) {
  of_epoch_.push_back(timer.id);
  ++reported.scheduled;
  if (timer.boxed) ++reported.boxed;
}

void model::arm(account& timer, nanoseconds_t deadline, std::uint64_t armer) {
  const bool had_place = has_place(timer);
  leave_waiting(timer);
  timer.now = phase::waiting;
  timer.deadline = rounded_up(deadline, tick_);
  timer.armer = armer;
  timer.arming = ++armings_;
  waiting_.insert({timer.deadline, timer.arming, timer.id});
  recount(timer, had_place);
}

void model::hand_over(account& timer) {
  leave_waiting(timer);
  timer.now = phase::handed;
  timer.pass = pass_;
  timer.slot = ++slots_;
}

void model::start(account& timer) {
  const bool had_place = has_place(timer);
  leave_waiting(timer);
  timer.now = phase::firing;
  timer.last_run = timer.cancelled_running = timer.rearmed = false;
  ++timer.runs;
  ++reported.fired;
  recount(timer, had_place);
}

void model::end(account& timer, ending how) {
  const bool had_place = has_place(timer);
  leave_waiting(timer);
  timer.now = phase::ended;
  timer.how = how;
  recount(timer, had_place);
  if (timer.epoch != epoch_) return;
  switch (how) {
    case ending::expired: ++reported.expired; break;
    case ending::cancelled: ++reported.cancelled; break;
    case ending::returned: ++reported.returned; break;
    case ending::dropped: ++reported.dropped; break;
    case ending::none:
    case ending::never_made: break;
  }
}

void model::begin_pass(nanoseconds_t now) {
  ++pass_;
  pass_now_ = now;
}

bool model::is_candidate(const account& timer) const noexcept {
  return timer.now == phase::waiting && timer.deadline <= pass_now_ && timer.pass != pass_;
}

const account* model::overtaken_by(const account& timer) const {
  for (const auto& [deadline, arming, id] : waiting_) {
    if (deadline > timer.deadline) return nullptr;
    const account& other = accounts_[id - 1];
    if (id == timer.id || !is_candidate(other)) continue;
    if (deadline < timer.deadline || (other.armer == timer.armer && arming < timer.arming)) return &other;
  }
  return nullptr;
}

account* model::first_candidate() {
  for (const auto& [deadline, arming, id] : waiting_) {
    if (deadline > pass_now_) return nullptr;
    if (is_candidate(accounts_[id - 1])) return &accounts_[id - 1];
  }
  return nullptr;
}

bool model::ambiguous(bool all) const {
  const account* before = nullptr;
  for (const auto& [deadline, arming, id] : waiting_) {
    if (deadline > pass_now_) return false;
    const account& each = accounts_[id - 1];
    if (!is_candidate(each)) continue;
    if (before != nullptr && before->deadline == deadline && before->armer != each.armer) return true;
    if (before != nullptr && before->deadline != deadline && !all) return false;
    before = &each;
  }
  return false;
}

std::optional<nanoseconds_t> model::next_deadline() const {
  if (waiting_.empty()) return std::nullopt;
  return std::get<0>(*waiting_.begin());
}

}  // namespace detent::sim
