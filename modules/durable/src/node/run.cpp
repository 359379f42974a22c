// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <detent/base/forced_unwind.hpp>

#include <algorithm>
#include <exception>
#include <new>

namespace detent::durable {
namespace detail {

namespace {

thread_local run* calling = nullptr;

}  // namespace

run* run::innermost() noexcept { return calling; }
run* run::current() noexcept { return calling != nullptr && !calling->detached_ ? calling : nullptr; }

outcome run::call() noexcept {
  struct for_this_call {  // handlers may nest, because an executor may call at once
    run* const outer;
    explicit for_this_call(run* its) noexcept : outer(std::exchange(calling, its)) { its->outer_ = outer; }
    ~for_this_call() { calling = outer; }
  } const its(this);
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
  // Another state: it was withdrawn, and the program called it after stop() of the engine had returned it.
  state expected = state::armed;
  // relaxed, here and below: the exchange only decides which comes first.
  const state next = is_careful_ ? state::waits : state::fired;
  if (!state_.compare_exchange_strong(expected, next, base::relaxed, base::relaxed)) return;
  if (is_careful_) return line_->push({.what = shared_from_this(), .how = finished::as::due});
  if (line_->admit(shared_from_this())) start();
}

bool run::claim() noexcept {
  state expected = state::waits;
  return state_.compare_exchange_strong(expected, state::fired, base::relaxed, base::relaxed);  // relaxed: see fire()
}

void run::start() noexcept {
  const std::shared_ptr<run> alive = shared_from_this();
  const auto& executor = by_->how.executor;
  if (!executor) return execute();
  using held = called_or_dropped<run, &run::execute, &run::not_executed>;
  std::shared_ptr<held> handed;
  try {
    handed = std::make_shared<held>(alive);
  } catch (const std::bad_alloc&) {
    return not_executed();
  }
  try {
    executor([its = std::move(handed)] { (*its)(); });
  } catch (...) {  // the executor has destroyed the function, which armed the run again
  }
}

void run::not_executed() noexcept {
  state_.store(state::armed, base::relaxed);  // relaxed: it is armed again only after the line's lock was taken
  line_->push({.what = shared_from_this(), .how = finished::as::dropped});
  line_->done(*this, true);
}

// Does not call the handler if the term is over.
void run::execute() noexcept {
  if (!term_->stands()) {
    // relaxed: only decides which comes first. The term may be renewed before the thread that renews it has heard of
    // this.
    state_.store(state::withdrawn, base::relaxed);
    line_->push({.what = shared_from_this(), .how = finished::as::lapsed});
  } else {
    // relaxed: a thread that sees this late takes the run for one that has yet to start; an operation that was asked
    // for after the start has reached that thread through a lock.
    begun_.store(true, base::relaxed);
    if (is_careful_) line_->push({.what = shared_from_this(), .how = finished::as::begun});
    if (run_journal* const in = line_->in_store().journal) place_ = in->begin(record_);
    const outcome how = call();
    if (!detached_) finish(how);
  }
  if (!ended_early_) line_->done(*this, !detached_);
}

void run::ask_with_end(pending_change&& what) {
  if (auto* const its = std::get_if<asking_caller>(&what.by)) its->give_up_at -= term_->clock().elapsed();
  asked_.push_back(std::move(what));
}

std::vector<pending_change> run::take_asked() noexcept {
  for (pending_change& one : asked_)
    if (auto* const its = std::get_if<asking_caller>(&one.by)) its->give_up_at += term_->clock().elapsed();
  return std::exchange(asked_, {});
}

// A detached run may end on any thread and at any time, so the operations that its handler has asked for so far are
// pushed at once.
void run::detach() noexcept {
  detached_ = true;
  line_->detached();
  for (pending_change& one : take_asked()) line_->push(std::move(one));
}

void run::end_early(std::shared_ptr<const void> handlers) noexcept {
  keeps_ = std::move(handlers);
  const bool is_last = !detached_;
  if (is_last)
    finish(outcome::done());
  else
    end_detached(outcome::done());
  detached_ = ended_early_ = true;             // so neither what the handler returns ends it,
  detached_ended_.store(true, base::relaxed);  // nor a job that it detaches from now on; relaxed: see end_detached()
  line_->done(*this, is_last);
}

void run::end_detached(const outcome& how) noexcept {
  if (detached_ended_.exchange(true, base::relaxed)) return;  // relaxed: only decides which comes first
  finish(how);
  line_->done(*this, true);
}

// A run that is not wanted any more is reported as well, because its receiver knows that.
void run::drop() noexcept {
  if (state_.load(base::relaxed) == state::armed)
    line_->push({.what = shared_from_this(), .how = finished::as::dropped});
}

bool run::withdraw(timer& armed) {
  if (armed.cancel() == detent::cancel_result::cancelled) return true;
  // It fires or has fired; or the engine has dropped it, or returned it from stop(); or its term was over.
  for (state expected : {state::armed, state::waits})
    if (state_.compare_exchange_strong(expected, state::withdrawn, base::relaxed, base::relaxed)) return true;
  return state_.load(base::relaxed) == state::withdrawn;
}

// A restart is noted as the end of the run, because it moves the timer; the other requests follow it.
void run::note_end(const end_request& how) const {
  end_request end = how;
  std::vector<change> asked;
  for (const pending_change& one : asked_) {
    if (asked.empty() && one.restarts()) {
      end.how = end_kind::move;
      end.due = std::get<put_request>(one.what).what.due;
      end.attempt = 1;
      end.by_rule = false;
      end.payload.reset();
    } else {
      asked.push_back(one.what);
    }
  }
  line_->in_store().journal->end(*place_, end, asked);
}

// From now on the run itself does not end its timer as done. relaxed, as in finish(): only decides which comes first.
std::string run::make_token(const char* asks) {
  const auto check = [&](ends now) {
    if (now == ends::has_ended)
      throw error(detent::errc::not_permitted, std::string(asks) + ": the run has ended: call it before");
  };
  ends now = ends_.load(base::relaxed);
  check(now);
  const finish_line::of_store& in = line_->in_store();
  if (in.tokens == nullptr)
    throw error(errc::unsupported, std::string(asks) + ": " + in.name +
                                       ": its timers end in no transaction of yours: return done(), or keep them in "
                                       "PostgreSQL");
  std::string made = in.tokens->token(record_, line_->verdicts().next_of(record_));
  if (now == ends::here && !ends_.compare_exchange_strong(now, ends::maybe_elsewhere, base::relaxed, base::relaxed))
    check(now);
  return made;
}

std::string run::token() { return make_token("job::token"); }

bool run::finish_in(pg_conn* in) {
  const std::string token = make_token("job::finish_in");
  const finish_line::of_store& its = line_->in_store();
  bool finished = false;
  std::string why;
  if (const errc problem = its.tokens->finish_in(in, token, finished, why); problem != errc{})
    throw error(problem, "job::finish_in: " + its.name + ": " + why);
  return finished;
}

void run::finish(const outcome& how) noexcept {
  const bool elsewhere = ends_.exchange(ends::has_ended, base::relaxed) == ends::maybe_elsewhere;  // relaxed
  const verdicts& by = line_->verdicts();
  end_request end = elsewhere ? by.unless_ended(record_, term_->which(), by_->how, how)
                              : by.on(record_, term_->which(), by_->how, how);
  if (place_) note_end(end);
  line_->push({.what = shared_from_this(), .end = std::move(end), .asked = take_asked()});
}

}  // namespace detail

outcome outcome::again_at(wall_time due, std::span<const std::byte> payload) { return again_at(due).with(payload); }
outcome outcome::again_after(duration delay, std::span<const std::byte> payload) {
  return again_after(delay).with(payload);
}
outcome outcome::with(std::span<const std::byte> payload) && {
  if (payload.size() > payload_limit)
    throw error(errc::too_large, "outcome: a payload of " + std::to_string(payload.size()) + " bytes: at most " +
                                     std::to_string(payload_limit));
  payload_.emplace(payload.begin(), payload.end());
  return std::move(*this);
}

std::string_view job::key() const noexcept { return parts_of(run_.what().key).key; }
std::string_view job::partition() const noexcept { return parts_of(run_.what().key).partition; }
std::span<const std::byte> job::payload() const noexcept { return run_.what().payload; }
wall_time job::due() const noexcept { return run_.what().due; }
std::uint32_t job::attempt() const noexcept { return detail::attempts::of(run_.what().attempt).next(); }
std::uint64_t job::fence() const noexcept { return run_.term().which().fence; }
bool job::still_mine() const noexcept { return run_.term().stands(); }
std::string job::token() const { return run_.token(); }
bool job::finish_in(pg_conn* in) const { return run_.finish_in(in); }

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
