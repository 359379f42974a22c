// SPDX-License-Identifier: MIT
#include "scheduler.hpp"

#include <cstdlib>
#include <utility>

namespace model {

void scheduler::run(const bounds& limits, const std::function<void()>& body, const std::function<void()>& stuck) {
  limits_ = limits;
  stuck_ = stuck;
  stores_ = sleepers_ = 0;
  count_ = 0;
  thread& first = *start("body", body);
  current_ = &first;
  fiber::change(outside_, first.stack);
  current_ = nullptr;
}

void scheduler::stop() {
  for (thread& each : threads_) each.stack.abandon();
  fiber dropped;
  fiber::change(dropped, outside_);
  std::abort();
}

thread* scheduler::start(std::string name, std::function<void()> work) {
  if (count_ == max_threads) return nullptr;
  auto index = static_cast<thread_index>(count_++);
  thread& made = threads_[index];
  // It knows what its maker knows, and its own clock begins at 1: 0 is before everything.
  static_cast<observer&>(made) = {};
  made.self = index;
  if (current_ != nullptr) made.now = current_->now;
  made.now.tick(index);
  made.name = std::move(name);
  made.work = std::move(work);
  made.is = thread::state::ready;
  made.stack.assign(&scheduler::run_current, this);
  return &made;
}

void scheduler::run_current(void* self) {
  auto& me = *static_cast<scheduler*>(self);
  thread& mine = *me.current_;
  mine.work();
  mine.is = thread::state::ended;
  me.note_store();  // a spinning thread may be waiting for just this end
  if (mine.self == 0) {
    fiber::change(mine.stack, me.outside_);
  } else {
    me.move_on(false);
  }
}

bool scheduler::may_run(const thread& each) const {
  switch (each.is) {
    case thread::state::ready: return true;
    case thread::state::paused: return each.stores_when_paused != stores_ || each.read_stale;
    case thread::state::sleeping:
    case thread::state::ended: return false;
    case thread::state::joining: break;
  }
  for (std::size_t i = 1; i != count_; ++i) {
    if (threads_[i].is != thread::state::ended) return false;
  }
  return true;
}

std::size_t scheduler::find_ways(bool prefer_staying, std::array<thread*, max_threads>& ways) {
  std::size_t found = 0;
  const bool may_stay = may_run(*current_);
  if (prefer_staying && may_stay) {
    ways[found++] = current_;
    if (limits_.preemptions == 0) return found;
  }
  for (std::size_t i = 0; i != count_; ++i) {
    if (&threads_[i] != current_ && may_run(threads_[i])) ways[found++] = &threads_[i];
  }
  if (!prefer_staying && may_stay) ways[found++] = current_;
  return found;
}

void scheduler::move_on(bool prefer_staying) {
  std::array<thread*, max_threads> ways;
  std::size_t found = find_ways(prefer_staying, ways);
  while (found == 0) {
    if (!let_time_pass()) {
      stuck_();
      std::abort();
    }
    found = find_ways(prefer_staying, ways);
  }
  std::size_t way = found == 1 ? 0 : decide_.choose(static_cast<unsigned>(found));
  if (prefer_staying && way != 0 && ways[0] == current_) --limits_.preemptions;
  if (ways[way] != current_) change_to(*ways[way]);
  current_->is = thread::state::ready;
}

void scheduler::change_to(thread& next) {
  thread& left = *current_;
  current_ = &next;
  fiber::change(left.stack, next.stack);
}

void scheduler::pause() {
  current_->is = thread::state::paused;
  current_->stores_when_paused = stores_;
  move_on(false);
  current_->read_stale = false;
}

void scheduler::sleep(const void* on, std::int64_t wakes_at) {
  current_->is = thread::state::sleeping;
  current_->sleeps_on = on;
  current_->wakes_at = wakes_at;
  current_->asleep_since = ++sleepers_;
  current_->timed_out = false;
  move_on(false);
}

void scheduler::wake(const void* on, int count) {
  for (; count > 0; --count) {
    thread* first = nullptr;
    for (std::size_t i = 0; i != count_; ++i) {
      thread& each = threads_[i];
      bool waits = each.is == thread::state::sleeping && each.sleeps_on == on;
      if (waits && (first == nullptr || each.asleep_since < first->asleep_since)) first = &each;
    }
    if (first == nullptr) return;
    first->is = thread::state::ready;
  }
}

bool scheduler::let_time_pass() {
  thread* first = nullptr;
  for (std::size_t i = 0; limits_.time_passes && i != count_; ++i) {
    thread& each = threads_[i];
    bool waits = each.is == thread::state::sleeping && each.wakes_at != INT64_MAX;
    if (waits && (first == nullptr || each.wakes_at < first->wakes_at)) first = &each;
  }
  if (first == nullptr) return false;
  first->is = thread::state::ready;
  first->timed_out = true;
  return true;
}

void scheduler::join() {
  current_->is = thread::state::joining;
  move_on(false);
  for (std::size_t i = 1; i != count_; ++i) current_->now.join(threads_[i].now);
}

}  // namespace model
