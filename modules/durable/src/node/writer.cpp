// SPDX-License-Identifier: MIT
#include "writer.hpp"

#include <iterator>
#include <utility>

namespace detent::durable::detail {
namespace {

// Gives transactions time to let go of the timers that they hold. Each try may cost the store a wait of some
// milliseconds.
constexpr std::chrono::nanoseconds until_tried_again = std::chrono::milliseconds(100);
constexpr std::size_t most_in_a_batch = 4000;             // ends and operations
constexpr std::size_t most_bytes_in_a_batch = 1u << 20u;  // a single change is at most a sixteenth of it

end_request end_of(const term_ref& term, const record& what, end_kind how) {
  return {.term = term, .key = what.key, .id = what.id, .ran = what.due, .how = how};
}

}  // namespace

// From now on, ends of a key that an operation names go after that operation.
void writer::join(queue& to, entry&& one) {
  ++(one.is_end() ? ends_ : operations_);
  if (&to == &rest_) ++named_[one.key()];
  to.push_back(std::move(one));
}

void writer::unname(const entry& one) {
  const auto found = named_.find(one.key());
  if (--found->second == 0) named_.erase(found);
}

void writer::take() {
  for (arrival& one : of_.from.take_all()) {
    if (auto* wanted = std::get_if<entry>(&one))
      join(rest_, std::move(*wanted));
    else
      take(std::move(std::get<finished>(one)));
  }
}

void writer::take(finished&& one) {
  ++runs_taken_;
  const run& of = *one.what;
  if (one.how == finished::as::due) return of_.careful.due(one.what);
  if (one.how == finished::as::begun) return of_.careful.begun(of);
  of_.careful.over(of);
  if (one.how == finished::as::dropped) return of_.held.dropped(of);
  if (one.how == finished::as::lapsed) {
    ++with_.counted.now.lapsed;
    // The next term reads the timer again, even if this one was renewed since.
    tenures::tenure& its = with_.terms.of(of.what().shard);
    if (its.term.get() == &of.term()) its.leaving = true;
    return of_.held.over(of);
  }
  ++with_.counted.now.runs;
  if (one.end.how == end_kind::move && of_.held.ends_for_good(of)) one.end.how = end_kind::erase;
  entry end{.what = std::move(one.end), .by = one.what};
  // A newer term of ours stands, which may have read the timer by now.
  const auto& now = with_.terms.of(of.what().shard).term;
  if (now && now.get() != &of.term() && of_.held.forget(of.what())) owe(end, *now);
  // A restart moves the timer when its run ends. Every other request comes after that.
  const auto after = std::ranges::find_if(one.asked, [](const entry& its) { return !its.restarts(); });
  queue& to = named_.contains(end.key()) ? rest_ : first_;
  one.asked.insert(after, std::move(end));
  for (entry& its : one.asked) {
    its.stays_with_former = &its != &one.asked.front();
    join(to, std::move(its));
  }
}

void writer::owe(entry& one, const held_term& now) {
  std::get<end_request>(one.what).term = now.which();
  if (!std::exchange(one.is_owed, true)) ++shards_[now.which().shard].owed;
}

void writer::took(shard_id shard) {
  const held_term& now = *with_.terms.of(shard).term;
  for_each_waiting([&](entry& one) {
    const auto* of = std::get_if<std::shared_ptr<run>>(&one.by);
    if (of != nullptr && *of != nullptr && one.shard() == shard) owe(one, now);
  });
  for (entry& one : std::exchange(shards_[shard].late, {})) {
    owe(one, now);
    join(first_, std::move(one));
  }
}

void writer::answer_to(const term_ref& term, const announced& question, answer reply, const run* about) {
  end_request end;
  end.term = term;
  end.key = question.key;
  // A timer that runs is erased as well, because it must not be in the store after this term.
  end.how = about != nullptr ? end_kind::erase : end_kind::leave;
  end.question = question.question;
  end.reply = reply;
  if (about != nullptr) {
    end.id = about->what().id;
    end.ran = about->what().due;
  }
  // A question may come after a run has ended whose end is still waiting. Such an end must not begin another run.
  for_each_waiting([&](entry& one) {
    const auto* of = std::get_if<std::shared_ptr<run>>(&one.by);
    if (of == nullptr || about == nullptr || of->get() != about) return;
    if (auto& its = std::get<end_request>(one.what); its.how == end_kind::move) its.how = end_kind::erase;
  });
  join(first_, {.what = std::move(end), .by = std::shared_ptr<run>()});
}

void writer::erase(const term_ref& term, const record& what) {
  join(first_, {.what = end_of(term, what, end_kind::erase), .by = std::shared_ptr<run>()});
}

void writer::move(const std::shared_ptr<const held_term>& term, const record& what, stored_time to) {
  end_request end = end_of(term->which(), what, end_kind::move);
  end.due = to;
  end.attempt = what.attempt;
  end.by_rule = true;
  join(named_.contains(std::hash<std::string>()(what.key)) ? rest_ : first_, {.what = std::move(end), .by = what});
}

void writer::mark(marked&& what, std::uint32_t attempt) {
  const record& its = what.what->what();
  end_request end = end_of(what.what->term().which(), its, end_kind::move);
  end.due = its.due;
  end.attempt = attempt;
  end.by_rule = its.by_rule;
  join(first_, {.what = std::move(end), .by = std::move(what)});
}

void writer::give_up(std::shared_ptr<run> what) {
  end_request end = end_of(what->term().which(), what->what(), end_kind::kill);
  end.why = "its process ended during the run";
  join(first_, {.what = std::move(end), .by = std::move(what)});
}

void writer::unkeep(const term_ref& term, const std::string& key, std::uint64_t id) {
  join(first_, {.what = end_request{.term = term, .key = key, .id = id, .how = end_kind::unkeep},
                .by = std::shared_ptr<run>()});
}

// The change is over.
void writer::leave(const entry& one) {
  if (one.is_end()) {
    --ends_;
  } else {
    --operations_;
    over_.push_back(one.its_place);
  }
}

void writer::fill(queue& from, std::vector<entry>& batch) {
  const std::size_t had = batch.size();
  std::size_t bytes = 0;
  while (!from.empty()) {
    entry& one = from.front();
    const bool fits = batch.size() - had < most_in_a_batch && bytes < most_bytes_in_a_batch;
    if (!fits && !one.stays_with_former) return;
    if (&from == &rest_) unname(one);
    const put_off_by held_up = put_off_.holds_up(one);
    const auto* caller = std::get_if<asking_caller>(&one.by);
    if (caller != nullptr && caller->given_up) {
      leave(one);
    } else if (held_up != put_off_by::nothing) {
      wait(std::move(one), held_up);
    } else {
      bytes += sizeof(change) + bytes_in(one.what);
      batch.push_back(std::move(one));
    }
    from.pop_front();
  }
}

void writer::put_back(queue& to, std::span<entry> batch) {
  if (&to == &rest_)
    for (const entry& one : batch) ++named_[one.key()];
  to.insert(to.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
}

errc writer::send(std::vector<entry>& batch) {
  if (batch.empty()) return errc{};
  std::vector<change> changes;
  changes.reserve(batch.size());
  for (entry& one : batch) changes.push_back(std::move(one.what));
  std::vector<change_status> results(changes.size());
  const errc problem = with_.in.apply(changes, results);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].what = std::move(changes[i]);
  if (problem != errc{}) return problem;
  release(batch, results);
  bool is_silent = false, is_held = false;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (results[i] == change_status::unanswered)
      wait(std::move(batch[i]), put_off_by::silent_part);
    else if (results[i] == change_status::busy)
      wait(std::move(batch[i]), put_off_by::transaction);
    else
      settle(batch[i], results[i]);
    is_silent = is_silent || results[i] == change_status::unanswered;
    is_held = is_held || results[i] == change_status::busy;
  }
  if (is_silent) with_.problems.ok(trouble::of::parts, errc::unavailable);
  if (is_silent || is_held) settle_put_off([&](const entry& one) { return has_lapsed(one); });
  return errc{};
}

void writer::wait(entry&& one, put_off_by why) {
  if (why == put_off_by::transaction) {
    if (one.is_owed) return settle_owed_no_more(one);
    // Other careful runs need not wait for one that cannot be marked.
    if (const auto* its = std::get_if<marked>(&one.by); its != nullptr && its->starts) of_.careful.over(*its->what);
    if (!has_put_off()) held_until_ = with_.clock.elapsed() + until_tried_again;
  }
  put_off_.add(std::move(one), why);
}

// A shard is not read before the ends of former terms are written. If a transaction of the program's own holds the
// timer of such an end, all other timers of the shard would wait for it. So the end is dropped, and the timer runs
// again.
void writer::settle_owed_no_more(entry& one) {
  std::get<end_request>(one.what).term.fence = 0;  // a fence that no term has
  settle(one, change_status::fenced);
}

void writer::try_put_off_again() {
  if (!has_put_off() || with_.clock.elapsed() < tries_again_at()) return;
  queue all = put_off_.take_all();
  std::vector<entry> batch;
  fill(all, batch);
  if (send(batch) != errc{}) {
    for (entry& one : batch) wait(std::move(one), one.waits_for);
    with_.problems.ok(trouble::of::parts, errc::unavailable);
  }
  put_off_.rejoin(std::move(all));
  leave_held();
}

void writer::write_of(queue& from, trouble::of kind) {
  if (with_.clock.elapsed() < with_.problems.retry_at(kind)) return;
  std::vector<entry> batch;
  fill(from, batch);
  if (with_.problems.ok(kind, send(batch))) return;
  put_back(from, batch);
  settle_lapsed(from);
}

void writer::write() {
  take();
  try_put_off_again();
  if (apart_) {
    write_of(first_, trouble::of::ends);
    if (with_.problems.fails(trouble::of::ends)) set_puts_aside();
    if (first_.empty()) write_of(rest_, trouble::of::operations);
    apart_ = with_.problems.fails(trouble::of::ends) || with_.problems.fails(trouble::of::operations);
  } else {
    std::vector<entry> batch;
    fill(first_, batch);
    const std::size_t of_first = batch.size();
    if (first_.empty()) fill(rest_, batch);  // so each key keeps its order
    const errc problem = send(batch);
    for (const auto kind : {trouble::of::ends, trouble::of::operations}) with_.problems.ok(kind, problem);
    if (problem != errc{}) {
      put_back(rest_, std::span(batch).subspan(of_first));
      put_back(first_, std::span(batch).first(of_first));
      for (queue* const some : {&first_, &rest_}) settle_lapsed(*some);
      apart_ = true;
    }
  }
  of_.from.over(std::exchange(over_, {}));
}

}  // namespace detent::durable::detail
