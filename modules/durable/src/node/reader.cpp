// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include "../stores/clocks.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t most_a_reading = 1024;  // for all shards together
constexpr std::size_t most_bytes_a_reading = 4u << 20u;

std::chrono::microseconds of(duration its) noexcept { return std::chrono::ceil<std::chrono::microseconds>(its); }

}  // namespace

void reader::judge_clock(duration skew, duration uncertain) {
  with_.counted.now.skew = skew;
  const bool skewed = std::chrono::abs(skew) - uncertain > with_.how.max_skew;
  if (skewed == std::exchange(skewed_, skewed) || !skewed) return;
  leave_all();  // stall_watch reports the reason
}

errc reader::call_roll() {
  if (!skewed_) {
    if (const errc problem = lender_.tell(with_.known.abilities()); problem != errc{}) return problem;
    if (const errc problem = with_.dead.tell(); problem != errc{}) return problem;
  }
  const stored_time before = with_.problems.clock().wall_now();
  const std::chrono::nanoseconds asked_at = with_.problems.clock().elapsed();
  roll_call answer;
  // A node that may not take shards must not count when shards are shared out, so its entry lapses at once.
  const auto live_for = skewed_ ? std::chrono::milliseconds(1) : with_.terms.lease();
  if (const errc problem = with_.in.call_roll(node_, live_for, answer); problem != errc{}) return problem;
  const std::chrono::nanoseconds trip = with_.problems.clock().elapsed() - asked_at;
  with_.terms.note_trip(trip);
  measured_ = true;
  judge_clock(answer.now - before - trip / 2, trip / 2);
  roll_ = roll::of(answer.nodes);
  with_.terms.share_out(roll_);
  with_.dead.heard(roll_);
  return errc{};
}

void reader::note_unknown(shard_id shard, const record& what) {
  ++with_.counted.now.unhandled;
  std::vector<ability> needs{ability_of_handler(what.handler)};
  if (!what.schedule.empty()) needs.push_back(ability_of_schedule(what.schedule));
  const std::string name = what.schedule.empty() ? what.handler : what.handler + " on " + what.schedule;
  lender_.lacks(shard, name, needs, what.due);
  if (!reported_.insert(name).second) return;
  with_.problems.report(errc::unknown_handler, "\"" + name + "\": unknown here; \"" +
                                                   std::string(parts_of(what.key).key) +
                                                   "\" stays in the store for a node that knows it");
}

void reader::lose(shard_id shard) {
  ++with_.counted.now.terms_lost;
  with_.terms.of(shard).term->end();  // so nothing starts under it, even if the store ended it early
  with_.held.drop(shard);
  with_.terms.lose(shard);
  with_.problems.report(errc::fenced,
                        "shard " + std::to_string(shard) + ": the term is over; another node may have it");
}

void reader::drop_lapsed() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    const auto& its = with_.terms.of(shard);
    if (!its.term || its.term->stands()) continue;
    if (lapses(shard)) {
      with_.held.drop(shard);
      with_.terms.let_go(shard);
    } else {
      lose(shard);
    }
  }
}

// A successor is for a run that had begun when the successor was asked for. If the first announcement shows that the
// timer has yet to start, because it waits here, or was put before the successor and is new here, then the successor is
// not needed. A question between the two takes that timer away, so the successor stays.
void reader::drop_needless_successors(shard_id shard, const read_result& read) {
  std::set<std::string_view> asked, fresh;
  for (const announced& one : read.announced_keys) {
    if (one.question != 0) {
      asked.insert(one.key);
      fresh.erase(one.key);
    } else if (one.kept == 0) {
      fresh.insert(one.key);
    } else if (fresh.contains(one.key) || (!asked.contains(one.key) && with_.held.will_start(shard, one.key))) {
      with_.ends.unkeep(with_.terms.of(shard).term->which(), one.key, one.kept);
    }
  }
}

void reader::use(shard_id shard, read_result& read) {
  auto& its = with_.terms.of(shard);
  its.level = read.upto;
  its.whole = read.whole;
  drop_needless_successors(shard, read);
  lender_.was_read(shard);
  for (record& what : read.due)
    if (!its.leaving && !with_.held.take(what, its.term)) note_unknown(shard, what);
  // A key's present record is taken at its last announcement, because a question before that was about an older
  // version.
  std::unordered_map<std::string_view, const announced*> last;
  std::set<std::string_view> passed_over;
  for (const announced& one : read.announced_keys)
    if (one.question == 0 && one.kept == 0) last[one.key] = &one;
  for (const announced& one : read.announced_keys) {
    if (one.kept != 0) continue;
    if (one.question != 0) {
      auto [reply, about, after] = with_.held.ask(shard, one.key);
      if (reply == answer::gone && passed_over.contains(one.key)) reply = answer::cancelled;
      // A withdrawn timer is not known here any more, so the next owner answers that question.
      const bool is_known = reply != answer::none && (reply != answer::gone || !its.leaving);
      if (is_known) with_.ends.answer_to(its.term->which(), one, reply, about.get());
      if (after) with_.ends.erase(its.term->which(), *after);
      continue;
    }
    if (last[one.key] != &one) passed_over.insert(one.key);
    const auto now = std::ranges::find(read.announced_now, one.key, &record::key);
    const bool near = last[one.key] == &one && now != read.announced_now.end() && !its.leaving;
    if (!with_.held.changed(shard, one.key, near ? &*now : nullptr, its.term)) note_unknown(shard, *now);
  }
  with_.held.was_read(shard);
  with_.held.arm_taken();
}

// All shards share half of the room evenly, and the shards with a backlog share the other half. So a backlog in one
// shard of many is read nearly as fast as a backlog in all of them.
std::vector<read_request> reader::share_out(const std::vector<shard_id>& which, stored_time upto) const {
  const std::size_t held = with_.held.armed();  // timers without a handler here must not keep out those with one
  // Amid a backlog, runs that end and runs that are read must together fit into the limit of unwritten ends, or reading
  // would wait.
  const std::size_t half = std::max<std::size_t>(with_.how.unwritten / 2, 1);
  const bool keeps_up = with_.ends.unwritten() < half && with_.held.bytes() < with_.how.read_ahead_bytes;
  const std::size_t room = keeps_up && with_.how.read_ahead > held ? with_.how.read_ahead - held : 0;
  const std::size_t most = std::min({most_a_reading, half, room});
  const std::size_t most_bytes = std::min(
      most_bytes_a_reading, with_.how.read_ahead_bytes - std::min(with_.how.read_ahead_bytes, with_.held.bytes()));
  const auto has_backlog = [&](shard_id shard) { return with_.terms.of(shard).has_backlog; };
  const auto backlogs = static_cast<std::size_t>(std::ranges::count_if(which, has_backlog));
  const auto share_of = [&](std::size_t all, bool has_more) {
    const std::size_t even = (backlogs == 0 ? all : all - all / 2) / which.size();
    return has_more ? even + all / 2 / backlogs : even;
  };
  std::vector<read_request> requests;
  requests.reserve(which.size());
  for (const shard_id shard : which) {
    const auto& its = with_.terms.of(shard);
    const bool reads = !its.leaving && !with_.ends.owes(shard);
    const std::size_t limit = share_of(most, its.has_backlog) + (room != 0);
    requests.push_back(
        {its.term->which(), upto, reads ? limit : 0, with_.terms.lease(), share_of(most_bytes, its.has_backlog)});
  }
  return requests;
}

errc reader::read(const std::vector<shard_id>& which) {
  if (which.empty()) return errc{};
  const std::chrono::nanoseconds asked_at = with_.problems.clock().elapsed();
  // On a slow link the next reading may be as far away as a term is long.
  const stored_time upto = with_.problems.clock().wall_now() +
                           of(std::max<duration>(with_.how.horizon, with_.terms.lease() - with_.how.lease));
  const std::vector<read_request> requests = share_out(which, upto);
  std::vector<read_result> results(requests.size());
  if (const errc problem = with_.in.read_on(requests, results); problem != errc{}) return problem;
  for (std::size_t i = 0; i < which.size(); ++i) {
    auto& its = with_.terms.of(which[i]);
    if (results[i].unanswered) {  // the term stands until the clock ends it
      unanswered_ = true;
      continue;
    }
    if (!results[i].stands) {
      if (its.term->stands()) with_.terms.doubt();
      lose(which[i]);
      continue;
    }
    its.term->stand(asked_at, with_.terms.lease());
    use(which[i], results[i]);
    its.has_backlog = !its.leaving && !its.has_read(upto);
    if (its.leaving) continue;
    if (its.has_backlog) lags_ = true;
    with_.counted.now.read_lag =
        std::max<duration>(with_.counted.now.read_lag, upto - std::max(its.level, stored_time{}));
  }
  return errc{};
}

void reader::tick() {
  lags_ = unanswered_ = false;
  with_.counted.now.read_lag = {};
  drop_lapsed();
  with_.held.arm_refused();
  errc problem = call_roll();
  if (problem != errc{}) with_.terms.share_out_nothing();
  // Terms are renewed even if that failed: of several servers, only the one with the roll may be down.
  std::vector<shard_id> ours;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).term && !lapses(shard)) ours.push_back(shard);
  const errc reading = read(ours);
  if (reading == errc{} && !skewed_)
    if (const errc taking = take(); problem == errc{}) problem = taking;
  if (problem == errc{}) problem = reading;
  with_.problems.ok(trouble::of::reading, problem);
  stalls_.look({problem, skewed_, roll_, with_.held.size() - with_.held.armed()});
  if (unanswered_)
    with_.problems.ok(trouble::of::parts, errc::unavailable);
  else if (reading == errc{} && !with_.ends.has_unanswered())
    with_.problems.ok(trouble::of::parts, errc{});
}

// A shard is read soon after it was taken, but not at once, because this node's ends under its former term must be
// written first.
errc reader::take() {
  const stored_time before = with_.problems.clock().wall_now();
  stored_time at_most = stored_time::max();  // no fence is smaller than the store's time
  errc problem = with_.terms.take([&](shard_id shard) {
    ++with_.counted.now.terms;
    with_.ends.took(shard);
    with_.rules.look_at(shard);
    lags_ = true;
    at_most = std::min(at_most, stored_time(std::chrono::microseconds(with_.terms.of(shard).term->which().fence)));
  });
  if (!measured_ && at_most < before) judge_clock(at_most - before, duration(0));
  if (problem != errc{}) return problem;
  const auto leave = [&](shard_id shard) { withdraw(shard); };
  with_.terms.pick_leaver(leave);
  if (with_.terms.is_rolled()) problem = lender_.lend(roll_, leave);
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).foreign) with_.ends.forget(shard);
  return problem;
}

void reader::look_at(const std::vector<shard_id>& announced) {
  std::vector<shard_id> ours;
  for (const shard_id shard : announced)
    if (shard < with_.terms.shards() && renews(shard)) ours.push_back(shard);
  if (!ours.empty()) with_.problems.ok(trouble::of::reading, read(ours));
}

void reader::renew() {
  std::vector<shard_id> ours;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (renews(shard)) ours.push_back(shard);
  if (!ours.empty()) with_.problems.ok(trouble::of::reading, read(ours));
}

}  // namespace detent::durable::detail
