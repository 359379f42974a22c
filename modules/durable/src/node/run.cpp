// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <detent/base/forced_unwind.hpp>

#include <algorithm>
#include <exception>

namespace detent::durable {
namespace detail {

void finish_line::push(finished what) {
  bool first = false;
  {
    const std::lock_guard locked(lock_);
    if (closed_) return;
    first = waiting_.empty();
    waiting_.push_back(std::move(what));
  }
  if (first) bell_->ring();
}

std::vector<finished> finish_line::take_all() {
  const std::lock_guard locked(lock_);
  taken_ += waiting_.size();
  return std::exchange(waiting_, {});
}

std::size_t finish_line::size() const {
  const std::lock_guard locked(lock_);
  return waiting_.size();
}

bool finish_line::admit(std::shared_ptr<run> what) {
  const std::lock_guard locked(lock_);
  if (closed_) return false;
  if (first_held() == nullptr && room() != 0) {
    ++running_;
    return true;
  }
  what->is_held_ = true;
  held_.push_back(std::move(what));
  return false;
}

void finish_line::detached() {
  const std::lock_guard locked(lock_);
  ++running_;
}

void finish_line::done() {
  const std::lock_guard locked(lock_);
  --running_;
}

bool finish_line::withdraw(run& what) {
  const std::lock_guard locked(lock_);
  return std::exchange(what.is_held_, false);
}

std::size_t finish_line::room() const { return most_unwritten_ - std::min(most_unwritten_, taken_ + waiting_.size()); }

run* finish_line::first_held() {
  while (!held_.empty() && !held_.front()->is_held_) held_.pop_front();
  return held_.empty() ? nullptr : held_.front().get();
}

std::shared_ptr<run> finish_line::next() {
  const std::lock_guard locked(lock_);
  --asked_;
  if (first_held() == nullptr || room() == 0) return nullptr;
  std::shared_ptr<run> first = std::move(held_.front());
  held_.pop_front();
  first->is_held_ = false;
  ++running_;
  return first;
}

std::size_t finish_line::wrote_all_but(std::size_t count) {
  const std::lock_guard locked(lock_);
  taken_ = count;
  const std::size_t ready = first_held() == nullptr ? 0 : std::min(held_.size(), room());
  const std::size_t more = ready - std::min(ready, asked_);
  asked_ += more;
  return more;
}

void finish_line::does_not_ask(std::size_t count) {
  const std::lock_guard locked(lock_);
  asked_ -= count;
}

bool finish_line::close(bool ends_matter) {
  std::deque<std::shared_ptr<run>> held;  // destroyed without the lock, which a run takes at its end
  const std::lock_guard locked(lock_);
  if (running_ != 0 || (ends_matter && !waiting_.empty())) return false;
  closed_ = true;
  waiting_.clear();
  held.swap(held_);
  return true;
}

outcome run::call() noexcept {
  try {
    base::kept_thread called({"durable timers", nullptr, "a handler"});
    outcome how = by_->call(job_);
    called.returned();
    return how;
  } catch (const std::exception& problem) {
    return outcome::retry(problem.what());
  } catch (...) {
    return outcome::retry("its handler threw something");
  }
}

void run::fire() noexcept {
  state expected = state::armed;  // else withdrawn, and run by the program, to which stop() of the engine had given it
  // Relaxed, here and below: the exchanges only decide which comes first.
  if (!state_.compare_exchange_strong(expected, state::fired, base::relaxed, base::relaxed)) return;
  if (line_->admit(shared_from_this())) start();
}

void run::start() noexcept {
  const std::shared_ptr<run> alive = shared_from_this();
  if (!term_->stands()) {
    line_->push({alive, finished::as::lapsed, {}, {}});
  } else {
    const outcome how = call();
    if (!detached_) finish(how);
  }
  line_->done();
}

void run::detach() noexcept {
  detached_ = true;
  line_->detached();
}

void run::end_detached(const outcome& how) noexcept {
  finish(how);
  line_->done();
}

// Also of one that is not wanted any more: that is known where it is taken.
void run::drop() noexcept {
  if (state_.load(base::relaxed) == state::armed) line_->push({shared_from_this(), finished::as::dropped, {}, {}});
}

bool run::withdraw(timer& armed) {
  const detent::cancel_result its = armed.cancel();
  if (its != detent::cancel_result::gone) return its == detent::cancel_result::cancelled;
  // It has fired; or the engine has dropped it, or given it back at its stop.
  state expected = state::armed;
  return state_.compare_exchange_strong(expected, state::withdrawn, base::relaxed, base::relaxed);
}

void run::finish(const outcome& how) noexcept {
  finished end{shared_from_this(), finished::as::done, how.after_, how.why_};
  if (how.kind_ == outcome::kind::retry) end.how = finished::as::retry;
  if (how.kind_ == outcome::kind::dead) end.how = finished::as::dead;
  line_->push(std::move(end));
}

}  // namespace detail

std::string_view job::key() const noexcept { return parts_of(run_.what().key).key; }
std::string_view job::partition() const noexcept { return parts_of(run_.what().key).partition; }
std::span<const std::byte> job::payload() const noexcept { return run_.what().payload; }
wall_time job::due() const noexcept { return run_.what().due; }
std::uint32_t job::attempt() const noexcept { return run_.what().attempt; }
std::uint64_t job::fence() const noexcept { return run_.term().which().fence; }
bool job::still_mine() const noexcept { return run_.term().stands(); }

job::later job::detach() {
  run_.detach();
  return later(run_.as_job());
}

job::later::~later() {
  if (job_) end(outcome::retry("dropped without an answer"));
}

void job::later::end(const outcome& how) noexcept {
  if (!job_) return;
  job_->run_.end_detached(how);
  job_ = nullptr;
}

}  // namespace detent::durable
