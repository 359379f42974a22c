// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <exception>

namespace detent::durable {
namespace detail {

void finish_line::push(finished what) {
  bool first = false;
  {
    const std::lock_guard locked(lock_);
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
  if (held_.empty() && taken_ + waiting_.size() < most_unwritten_) return true;
  held_.push_back(std::move(what));
  return false;
}

bool finish_line::may_start_first() const {
  return !held_.empty() && (taken_ + waiting_.size() < most_unwritten_ || !held_.front()->term().stands());
}

std::shared_ptr<run> finish_line::next() {
  const std::lock_guard locked(lock_);
  if (!may_start_first()) return nullptr;
  std::shared_ptr<run> first = std::move(held_.front());
  held_.pop_front();
  return first;
}

bool finish_line::wrote_all_but(std::size_t count) {
  const std::lock_guard locked(lock_);
  taken_ = count;
  return may_start_first();
}

void finish_line::abandon() {
  const std::lock_guard locked(lock_);
  for (std::shared_ptr<run>& one : std::exchange(held_, {}))
    waiting_.push_back({std::move(one), finished::as::lapsed, {}, {}});
}

outcome run::call() noexcept {
  try {
    return by_->call(job_);
  } catch (const std::exception& problem) {
    return outcome::retry(problem.what());
  } catch (...) {
    return outcome::retry("its handler threw something");
  }
}

void run::fire() noexcept {
  if (line_->admit(shared_from_this())) start();
}

void run::start() noexcept {
  if (!term_->stands()) {
    line_->push({shared_from_this(), finished::as::lapsed, {}, {}});
    return;
  }
  const std::shared_ptr<run> alive = shared_from_this();
  const outcome how = call();
  if (!detached_) finish(how);
}

void run::finish(const outcome& how) noexcept {
  finished end{shared_from_this(), finished::as::done, how.after_, how.why_};
  if (how.kind_ == outcome::kind::retry) end.how = finished::as::retry;
  if (how.kind_ == outcome::kind::dead) end.how = finished::as::dead;
  line_->push(std::move(end));
}

}  // namespace detail

std::string_view job::key() const noexcept { return run_.what().key; }
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
  job_->run_.finish(how);
  job_ = nullptr;
}

}  // namespace detent::durable
