// SPDX-License-Identifier: MIT
#include "calendar_entry.hpp"

#include "calendar_core.hpp"

#include <mutex>
#include <thread>

namespace detent {

std::optional<wall_time> calendar_firing::next() const noexcept { return entry_.next().planned; }

}  // namespace detent

namespace detent::detail {

time_point calendar_entry::begin(std::shared_ptr<calendar_core> of, std::unique_ptr<calendar_work> work,
                                 const detent::schedule* when, wall_time planned, const calendar_options& options) {
  const std::lock_guard lock(guard_);
  last_ = of->clock().now();
  core_ = std::move(of);
  work_ = std::move(work);
  if (when != nullptr) schedule_ = *when;
  options_ = options;
  planned_ = planned;
  ran_ = admitted_ = wall_time::min();
  handle_ = {};
  missed_ = 0;
  runner_ = {};
  published_ = running_ = over_ = ended_ = emptied_ = false;
  return core_->clock().deadline_of(planned_);
}

// end() may have come first. The later of the two returns the entry to the pool.
void calendar_entry::publish(timer scheduled) noexcept {
  std::unique_lock lock(guard_);
  published_ = true;
  handle_ = scheduled;
  if (!emptied_) return;
  const std::shared_ptr<calendar_core> core = std::move(core_);
  lock.unlock();
  core->entries().give_back(*this);
}

// The entry keeps this timer's handle until everything that the callback holds is gone, because the calendar's end
// waits by it.
void calendar_entry::end() noexcept {
  std::shared_ptr<calendar_core> core;  // destroyed last, because the entry lies in its memory
  std::optional<detent::schedule> when;
  std::unique_ptr<calendar_work> work;
  std::unique_lock lock(guard_);
  ended_ = true;
  work.swap(work_);
  when.swap(schedule_);
  lock.unlock();
  work.reset();
  lock.lock();
  emptied_ = true;
  if (!published_) return;
  core.swap(core_);
  lock.unlock();
  core->entries().give_back(*this);
}

void calendar_entry::run(firing& at) {
  if (!begin_run(at)) return;
  calendar_firing now(*this, at, planned_, std::exchange(missed_, 0));
  try {
    work_->run(now);
  } catch (...) {
    end_run(at);
    throw;  // goes to the engine's on_error
  }
  end_run(at);
}

// Returns whether the callback runs. If not, the timer waits for its time or has no further run.
bool calendar_entry::begin_run(firing& at) {
  std::unique_lock lock(guard_);
  if (is_running_alone(at)) return running_ = true;  // an `unfired_timer` has no clock to follow
  runner_ = std::this_thread::get_id();
  const wall_time now = core_->clock().now();
  if (now > planned_ && planned_ > admitted_ &&
      subtract_saturated(now.time_since_epoch().count(), planned_.time_since_epoch().count()) >
          options_.misfire_after.count()) {
    if (schedule_) {
      const misfire_answer answer = answer_misfire(*schedule_, planned_, now, options_);
      core_->count_missed(answer.missed);
      missed_ += answer.missed;
      admitted_ = answer.admitted;
      if (answer.missed != 0 && options_.on_misfire == misfire::skip)
        last_ = now - options_.misfire_after - duration(1);
      planned_ = answer.next.planned.value_or(answer.last);
      if (!answer.next.planned) {
        report_end(lock, answer.next.exhausted);
        return false;
      }
    } else if (options_.on_misfire == misfire::skip) {
      core_->count_missed(1);
      over_ = true;
      return false;
    }
  }
  if (planned_ <= now) return running_ = true;
  // The timer was skipped; or the clock was set back just now, and this timer was not moved yet.
  const time_point later = core_->clock().deadline_now(planned_);
  lock.unlock();
  at.rearm_at(later);
  return false;
}

void calendar_entry::end_run(firing& at) noexcept {
  std::unique_lock lock(guard_);
  running_ = false;
  if (is_running_alone(at)) return;
  if (!schedule_ || (options_.runs != 0 && --options_.runs == 0)) {
    over_ = true;
    return;
  }
  ran_ = planned_;
  const wall_time now = core_->clock().now();
  const bool back = now < planned_;  // the clock was set, because no run is early otherwise
  if (back && core_->is_new_date(planned_ - now)) ran_ = wall_time::min();
  const wall_time from = back ? set_back_to(*schedule_, now, ran_) : planned_;
  const due_time next = next_due(*schedule_, from);
  if (!next.planned) return report_end(lock, next.exhausted);
  if (back) admitted_ = wall_time::min();
  last_ = from;
  planned_ = *next.planned;
  const time_point deadline = core_->clock().deadline_of(planned_);
  lock.unlock();
  at.rearm_at(deadline);
}

void calendar_entry::report_end(std::unique_lock<std::mutex>& lock, bool exhausted) noexcept {
  over_ = true;
  const schedule_end end{*schedule_, planned_, exhausted};
  lock.unlock();
  core_->report_end(end);
}

// Does not wait for a function that the engine calls after a run, such as on_error: the timer looks at the clock in its
// next run.
calendar_entry::move_result calendar_entry::move() noexcept {
  if (published_ && handle_.restart_at(core_->clock().deadline_of(planned_))) return move_result::moved;
  return runner_ == std::this_thread::get_id() ? move_result::none : move_result::again;
}

calendar_entry::move_result calendar_entry::follow() noexcept {
  const std::lock_guard lock(guard_);
  if (is_settled()) return move_result::none;
  return move();
}

// Uses the clock as it is now, because the timer may have run several times since the step.
calendar_entry::move_result calendar_entry::go_back(bool date) noexcept {
  const std::lock_guard lock(guard_);
  if (is_settled()) return move_result::none;
  if (date) ran_ = wall_time::min();
  const wall_time now = core_->clock().now();
  if (schedule_ && now < last_) {  // otherwise the planned time is still the next
    const wall_time from = set_back_to(*schedule_, now, ran_);
    if (const due_time next = next_due(*schedule_, from); next.planned && *next.planned < planned_) {
      planned_ = *next.planned;
      last_ = from;
      admitted_ = wall_time::min();
    }
  }
  return move();
}

std::optional<time_zone> calendar_entry::zone() {
  const std::lock_guard lock(guard_);
  if (over_ || ended_ || !schedule_) return std::nullopt;
  return schedule_->options().zone;
}

bool calendar_entry::change_zone(const time_zone& before, const time_zone& after) {
  const std::lock_guard lock(guard_);
  if (over_ || ended_ || !schedule_ || schedule_->options().zone != before) return false;
  schedule_ = schedule_->in_zone(after);
  if (running_) return false;  // the run looks up the next time when it ends
  const due_time next = next_due(*schedule_, last_);
  if (!next.planned || *next.planned == planned_) return false;
  planned_ = *next.planned;
  return true;
}

// This is called for an entry that has ended as well, because its run may be destroying what the callback holds, and
// the engine waits for that.
void calendar_entry::cancel_and_wait() noexcept {
  timer mine;
  {
    const std::lock_guard lock(guard_);
    if (!published_) return;
    mine = handle_;
  }
  mine.cancel_and_wait();
}

due_time calendar_entry::next() const {
  const std::lock_guard lock(guard_);
  if (!schedule_ || options_.runs == 1) return {};
  return next_due(*schedule_, planned_);
}

}  // namespace detent::detail
