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

}  // namespace

std::chrono::nanoseconds node::until_next() const {
  const std::chrono::nanoseconds now = elapsed();
  std::chrono::nanoseconds at = now + idle;
  const auto not_before = [&](std::chrono::nanoseconds next, trouble::of what) {
    at = std::min(at, std::max(next, trouble_.retry_at(what)));
  };
  if (runs_) not_before(next_tick_, trouble::of::reading);
  if (operations_.waiting()) {
    not_before(std::max(next_write_, trouble_.retry_at(trouble::of::ends)), trouble::of::operations);
    at = std::min(at, std::max(next_write_, operations_.impatient_at()));
  }
  if (is_crowded())
    not_before(now, trouble::of::ends);
  else if (ends_.waiting() != ends_.unanswered() || line_->size() != 0)
    not_before(next_write_, trouble::of::ends);
  if (ends_.unanswered() != 0) not_before(next_write_, trouble::of::parts);
  if (operations_.asking()) at = std::min(at, now + std::max(how_.flush, moment));
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
  const std::chrono::nanoseconds now = elapsed();
  const bool had = ends_.waiting() != 0 || operations_.waiting();
  const std::uint64_t failures = trouble_.failures();
  const bool answers = now >= trouble_.retry_at(trouble::of::ends) && ends_.write();
  if (answers && now >= trouble_.retry_at(trouble::of::operations)) operations_.write();
  operations_.end_impatient();
  const bool more = ends_.waiting() != ends_.unanswered() || operations_.has_waiting();
  if (had && (!more || trouble_.failures() != failures)) next_write_ = elapsed() + how_.flush;
}

// Not until the next write is due: half of what may be unwritten is.
bool node::is_crowded() const noexcept {
  const std::size_t unwritten = ends_.waiting() - ends_.unanswered();
  return unwritten != 0 && unwritten >= how_.unwritten / 2;
}

// On the executor, as what the engine fires.
void node::start_held() {
  std::size_t left = line_->wrote_all_but(ends_.waiting() - ends_.unanswered());
  try {
    while (left != 0) {
      call_of_next one(line_);
      --left;
      engine_.schedule_after(duration(0), std::move(one));
    }
  } catch (const error&) {  // of the engine: its capacity, or its memory; the next pass tries again
  } catch (const std::bad_alloc&) {
  }
  line_->does_not_ask(left);
}

// The order matters: what has ended is written before a shard is read or given back.
void node::pass() {
  ends_.add(line_->take_all());
  if (elapsed() >= next_write_ || is_crowded()) write();
  start_held();
  pass_of_started();
  operations_.look_for_answers();
  answer_requests();
  publish();
}

void node::pass_of_started() {
  std::vector<shard_id> announced;
  {
    const std::lock_guard locked(asking_);
    announced.swap(announced_);
    runs_ = started_ && !stopping_;
  }
  if (!runs_) return;
  const std::chrono::nanoseconds now = elapsed();
  if (now >= next_tick_ && now >= trouble_.retry_at(trouble::of::reading)) {
    reader_.tick();
    next_tick_ = elapsed() + std::min(how_.horizon / 4, how_.lease / 8);
  } else if (!announced.empty()) {
    reader_.look_at(announced);
  }
  if (reader_.lags()) next_tick_ = std::min(next_tick_, elapsed() + how_.flush);
  reader_.give_back();
}

void node::publish() {
  durable::metrics& now = counts_.now;
  now.unavailable = trouble_.failures();
  now.shards_owned = tenures_.owned();
  now.in_hand = hand_.size();
  now.ends = ends_.waiting();
  counts_.publish();
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
  const std::chrono::nanoseconds give_up_at = elapsed() + how_.lease;
  reader_.leave_all();
  for (bool left = true; left;) {
    next_write_ = {};
    pass();
    left = !reader_.give_back();
    if (left && elapsed() >= std::max(next_tick_, trouble_.retry_at(trouble::of::reading))) {
      reader_.renew();
      next_tick_ = elapsed() + how_.lease / 8;
    }
    const bool gives_up = trouble_.failing() && elapsed() >= give_up_at;
    if (gives_up) {
      for (shard_id shard = 0; shard < tenures_.shards(); ++shard) hand_.withdraw(shard);
      left = false;
    } else {
      left = left || operations_.waiting() || ends_.waiting() != 0;
    }
    left = left || !line_->close(!gives_up);
    if (left) bell_->wait_for(moment);
  }
  operations_.give_up();
  answer_requests();
  publish();
}

}  // namespace detent::durable::detail
