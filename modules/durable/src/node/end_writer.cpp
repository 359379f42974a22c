// SPDX-License-Identifier: MIT
#include "end_writer.hpp"

#include "../stores/clocks.hpp"

#include <detent/calendar_error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t batch = 4000;
constexpr std::size_t longest_reason = 256;
constexpr duration longest_delay = std::chrono::hours(24) * 365 * 100;  // nothing overflows that it is added to

}  // namespace

void end_writer::add(std::vector<finished> runs) {
  for (finished& one : runs) add(std::move(one));
}

void end_writer::add(finished one) {
  const run& of = *one.what;
  if (one.how == finished::as::dropped) return with_.held.dropped(of);
  if (one.how == finished::as::lapsed) {
    ++with_.counted.now.lapsed;
    // The next term reads it again, also if this one was renewed since.
    tenures::tenure& its = with_.terms.of(of.what().shard);
    if (its.term.get() == &of.term()) its.leaving = true;
    with_.held.over(of);
    return;
  }
  ++with_.counted.now.runs;
  end_request end;
  end.term = of.term().which();
  end.key = of.what().key;
  end.id = of.what().id;
  end.ran = of.what().due;
  if (one.how != finished::as::done)
    fail(one, end);
  else if (!of.what().schedule.empty())
    repeat(of, end);
  if (end.how == end_kind::move && with_.held.ends_for_good(of)) end.how = end_kind::erase;
  entry its{std::move(end), std::move(one.what)};
  // It ran into a newer term of ours, which may have read it by now.
  const auto& now = with_.terms.of(of.what().shard).term;
  if (now && now.get() != &of.term() && with_.held.forget(of.what())) owe(its, *now);
  waiting_.push_back(std::move(its));
}

void end_writer::owe(entry& one, const held_term& now) {
  one.what.term = now.which();
  if (!std::exchange(one.is_owed, true)) ++shards_[one.what.term.shard].owed;
}

void end_writer::took(shard_id shard) {
  const held_term& now = *with_.terms.of(shard).term;
  for (std::deque<entry>* const some : {&waiting_, &unanswered_})
    for (entry& one : *some)
      if (one.of && one.what.term.shard == shard) owe(one, now);
  for (entry& one : std::exchange(shards_[shard].late, {})) {
    owe(one, now);
    waiting_.push_back(std::move(one));
  }
}

void end_writer::repeat(const run& of, end_request& end) const {
  const schedule* when = with_.known.find_schedule(of.what().schedule);
  try {
    const auto next = when->next(std::max(of.what().due, wall_now()));
    if (!next) return;  // the schedule is over, and so is the timer
    end.how = end_kind::move;
    end.due = std::chrono::ceil<std::chrono::microseconds>(*next);
  } catch (const error& problem) {  // its list of days ends
    end.how = end_kind::kill;
    end.why = std::string(problem.what()).substr(0, longest_reason);
  }
}

stored_time end_writer::after_failure(const run& of, const std::optional<duration>& delay) {
  if (delay)
    return std::chrono::ceil<std::chrono::microseconds>(wall_now() + std::clamp(*delay, duration(0), longest_delay));
  const handler_options& how = of.by()->how;
  const duration longest = std::min(how.longest_retry, longest_delay);
  duration most = how.first_retry;
  for (std::uint32_t i = 1; i < of.what().attempt && most < longest; ++i) most += most;
  most = std::min(most, longest);
  std::uniform_int_distribution<std::int64_t> scattered(most.count() / 2, most.count());
  return std::chrono::ceil<std::chrono::microseconds>(wall_now() + duration(scattered(random_)));
}

void end_writer::fail(finished& one, end_request& end) {
  const run& of = *one.what;
  end.why = one.why.substr(0, longest_reason);
  if (one.how == finished::as::dead || of.what().attempt >= of.by()->how.max_attempts) {
    end.how = end_kind::kill;
    if (end.why.empty()) end.why = "failed " + std::to_string(of.what().attempt) + " times";
    return;
  }
  end.how = end_kind::move;
  end.due = after_failure(of, one.after);
  end.attempt = of.what().attempt + 1;
}

void end_writer::answer_to(const term_ref& term, const announced& question, answer reply, const run* about) {
  end_request end;
  end.term = term;
  end.key = question.key;
  // One that runs is erased as well: it must not be there again after this term.
  end.how = about != nullptr ? end_kind::erase : end_kind::leave;
  end.question = question.question;
  end.reply = reply;
  if (about != nullptr) {
    end.id = about->what().id;
    end.ran = about->what().due;
  }
  // Questions may come after runs have ended whose ends wait: those were meant to be a beginning no more.
  for (std::deque<entry>* const some : {&waiting_, &unanswered_})
    for (entry& one : *some)
      if (one.of.get() == about && one.what.how == end_kind::move) one.what.how = end_kind::erase;
  waiting_.push_back({std::move(end), nullptr});
}

void end_writer::erase(const term_ref& term, const record& what) {
  end_request end;
  end.term = term;
  end.key = what.key;
  end.id = what.id;
  end.ran = what.due;
  waiting_.push_back({std::move(end), nullptr});
}

void end_writer::refused(entry& one) {
  ++with_.counted.now.fenced;
  if (!one.of) return;
  with_.held.over(*one.of);
  // Where a newer term of ours stands, that one runs the timer already.
  const auto& now = with_.terms.of(one.what.term.shard).term;
  if (!now || now->which().fence == one.what.term.fence) shards_[one.what.term.shard].late.push_back(std::move(one));
}

void end_writer::settle(entry& one, end_status status) {
  if (std::exchange(one.is_owed, false)) --shards_[one.what.term.shard].owed;
  if (status == end_status::fenced) return refused(one);
  if (!one.of) return;
  metrics& counted = with_.counted.now;
  const end_request& end = one.what;
  const record& ran = one.of->what();
  with_.held.over(*one.of);
  if (status != end_status::ended) return;
  if (end.how == end_kind::kill) {
    ++counted.dead;
    const key_parts of = parts_of(ran.key);
    with_.problems.call(with_.how.on_dead,
                        dead_timer{of.key, of.partition, ran.handler, ran.due, ran.attempt, end.why});
    return;
  }
  if (end.how != end_kind::move) return;
  if (!end.why.empty() || end.attempt > 1) ++counted.retries;
  // The store does not announce our own moves: what is near is armed here.
  const tenures::tenure& its = with_.terms.of(ran.shard);
  if (!its.term || its.leaving || its.term->which().fence != end.term.fence || end.due > its.level) return;
  record next = ran;
  next.due = end.due;
  next.attempt = end.attempt;
  with_.held.take(next, its.term);
}

// While the store, or one server of several, does not answer: what the store would refuse must not hold up the rest.
void end_writer::settle_lapsed(std::deque<entry>& in) {
  std::erase_if(in, [&](entry& one) {
    const auto& term = with_.terms.of(one.what.term.shard).term;
    if (term && term->which().fence == one.what.term.fence && term->stands()) return false;
    settle(one, end_status::fenced);
    return true;
  });
}

void end_writer::settle_first(std::span<const end_status> results) {
  for (const end_status status : results) {
    if (status == end_status::unanswered)
      unanswered_.push_back(std::move(waiting_.front()));
    else
      settle(waiting_.front(), status);
    waiting_.pop_front();
  }
  if (unanswered_.empty()) return;
  with_.problems.ok(trouble::of::parts, errc::unavailable);
  settle_lapsed(unanswered_);
}

bool end_writer::write() {
  if (!unanswered_.empty() && elapsed() >= with_.problems.retry_at(trouble::of::parts)) {
    std::ranges::move(waiting_, std::back_inserter(unanswered_));
    waiting_ = std::exchange(unanswered_, {});
  }
  const std::size_t count = std::min(batch, waiting_.size());
  if (count == 0) return with_.problems.ok(trouble::of::ends, errc{});
  std::vector<end_request> requests;
  requests.reserve(count);
  for (std::size_t i = 0; i < count; ++i) requests.push_back(waiting_[i].what);
  std::vector<end_status> results(count);
  if (!with_.problems.ok(trouble::of::ends, with_.in.end(requests, results))) {
    settle_lapsed(waiting_);
    return false;
  }
  settle_first(results);
  return true;
}

}  // namespace detent::durable::detail
