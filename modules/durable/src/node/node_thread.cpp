// SPDX-License-Identifier: MIT
#include "node.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::chrono::nanoseconds idle = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds moment = std::chrono::milliseconds(1);
constexpr std::chrono::nanoseconds until_refused_again = std::chrono::milliseconds(250);

}  // namespace

std::chrono::nanoseconds node::until_next() const {
  const std::chrono::nanoseconds now = clock_.elapsed();
  std::chrono::nanoseconds at = now + (clock_.are_virtual() ? how_.lease : idle);  // only the engine has virtual time
  const auto not_before = [&](std::chrono::nanoseconds next, trouble::of what) {
    at = std::min(at, std::max(next, trouble_.retry_at(what)));
  };
  if (runs_) not_before(next_tick_, trouble::of::reading);
  if (runs_ && reader_.lags()) not_before(next_backlog_, trouble::of::reading);
  if (!inbox_->is_empty()) at = std::min(at, std::max(next_write_, now));
  if (writer_.has_operations())
    not_before(std::max(next_write_, trouble_.retry_at(trouble::of::ends)), trouble::of::operations);
  if (writer_.has_operations() || writer_.has_put_off())
    at = std::min(at, std::max(next_write_, writer_.impatient_at()));
  if (is_crowded())
    not_before(now, trouble::of::ends);
  else if (writer_.unwritten() != 0)
    not_before(next_write_, trouble::of::ends);
  if (runs_ && rules_.has_work()) not_before(now, trouble::of::rules);
  if (runs_) not_before(std::max(dead_.wakes_at(), now), trouble::of::dead);
  if (writer_.has_put_off()) at = std::min(at, std::max(next_write_, writer_.tries_again_at()));
  at = std::min(at, trials_.wakes_at());
  if (questions_.are_open()) at = std::min(at, now + std::max(how_.flush, moment));
  return std::max(at - now, std::chrono::nanoseconds(0));
}

void node::answer_requests() {
  std::vector<request*> waiting;
  {
    const std::lock_guard locked(asking_);
    waiting.swap(requests_);
  }
  for (request* one : waiting) {
    try {
      one->done.set_value((*one->what)(*store_));
    } catch (...) {
      one->done.set_exception(std::current_exception());
    }
  }
}

void node::write() {
  const bool had = writer_.has_waiting() || writer_.has_put_off();
  const std::uint64_t failures = trouble_.failures();
  writer_.write();
  writer_.end_impatient();
  const bool more = writer_.has_waiting();
  if (had && (!more || trouble_.failures() != failures)) next_write_ = clock_.elapsed() + how_.flush;
}

// Returns whether half of the ends that may be unwritten are, so that the next write must not wait for its time.
bool node::is_crowded() const noexcept {
  const std::size_t unwritten = writer_.unwritten();
  return unwritten != 0 && unwritten >= how_.unwritten / 2;
}

// Runs on the executor, as the engine's callbacks do.
void node::start_held() {
  std::size_t left = line_->wrote_all_but(writer_.runs_taken(), writer_.unwritten());
  try {
    while (left != 0) {
      call_of_next one(line_);
      --left;
      engine_.schedule_after(duration(0), std::move(one));
    }
  } catch (const error&) {  // the engine is full or has no memory; the next pass tries again
  } catch (const std::bad_alloc&) {
  }
  for (; left != 0; --left) line_->does_not_ask();
}

// The order matters: ends are written before a shard is read or given back.
void node::pass() {
  writer_.take();
  trials_.work(writer_);
  if (clock_.elapsed() >= next_write_ || is_crowded()) write();
  start_held();
  pass_of_started();
  questions_.look_for_answers();
  answer_requests();
  publish();
}

void node::follow_rules() {
  bool changed = false;
  {
    const std::lock_guard locked(asking_);
    changed = std::exchange(rules_changed_, false);
  }
  if (changed) {
    rules_.look_at_all();
    reader_.reread_lacking();
  }
  if (clock_.elapsed() >= trouble_.retry_at(trouble::of::rules)) rules_.work();
}

void node::pass_of_started() {
  std::vector<shard_id> announced;
  {
    const std::lock_guard locked(asking_);
    announced.swap(announced_);
    runs_ = started_ && !stopping_;
  }
  if (!runs_) return;
  follow_rules();
  const std::chrono::nanoseconds now = clock_.elapsed();
  const bool may_read = now >= trouble_.retry_at(trouble::of::reading);
  if (now >= next_tick_ && may_read) {
    reader_.tick();
    const duration often = std::min(how_.horizon / 4, how_.lease / 8);
    next_tick_ = clock_.elapsed() + (reader_.has_taken() ? std::min(how_.flush, often) : often);
    next_backlog_ = clock_.elapsed() + how_.flush;
  } else if (reader_.lags() && now >= next_backlog_ && may_read) {
    reader_.read_backlogs(std::move(announced));
    next_backlog_ = clock_.elapsed() + how_.flush;
  } else if (!announced.empty()) {
    reader_.look_at(std::move(announced));
  }
  if (hand_.has_refused()) next_tick_ = std::min(next_tick_, clock_.elapsed() + until_refused_again);
  reader_.give_back();
  dead_.work();
}

void node::publish() {
  durable::metrics& now = counts_.now;
  now.unavailable = trouble_.failures();
  now.shards_owned = tenures_.owned();
  now.in_hand = hand_.size();
  now.in_hand_bytes = hand_.bytes();
  now.ends = writer_.ends();
  counts_.publish();
}

void node::pass_soon() {
  if (passes_) return;  // the pass under way looks again at its end
  next_pass_.cancel();
  next_pass_ = engine_.schedule_after(duration(0), [this] { pass_in_virtual_time(); });
}

void node::pass_in_virtual_time() {
  passes_ = true;
  do {
    pass();
  } while (bell_->has_rung());
  passes_ = false;
  next_pass_.cancel();
  next_pass_ = engine_.schedule_after(until_next(), [this] { pass_in_virtual_time(); });
}

void node::work() {
  for (;;) {
    bell_->wait_for(until_next());
    {
      const std::lock_guard locked(asking_);
      if (stopping_) break;
    }
    pass();
  }
  end();
}

void node::end() {
  // In virtual time nothing changes during this wait.
  const std::chrono::nanoseconds give_up_at = clock_.elapsed() + (clock_.are_virtual() ? duration(0) : how_.lease);
  reader_.leave_all();
  for (bool left = true; left;) {
    next_write_ = {};
    trials_.withdraw(writer_);
    pass();
    left = !reader_.give_back();
    if (left && clock_.elapsed() >= std::max(next_tick_, trouble_.retry_at(trouble::of::reading))) {
      reader_.renew();
      next_tick_ = clock_.elapsed() + how_.lease / 8;
    }
    const bool is_late = clock_.elapsed() >= give_up_at;
    const bool gives_up = trouble_.failing() && is_late;
    if (is_late) writer_.leave_held();
    if (gives_up) {
      for (shard_id shard = 0; shard < tenures_.shards(); ++shard) hand_.withdraw(shard);
      left = false;
    } else {
      left = left || !inbox_->is_empty() || writer_.has_waiting() || (writer_.has_put_off() && !is_late);
    }
    left = left || !line_->close(!gives_up);
    if (left) bell_->wait_for(moment);
  }
  if (!trouble_.failing()) reader_.leave_roll();
  writer_.give_up();
  answer_requests();
  publish();
}

}  // namespace detent::durable::detail
