// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t most_a_reading = 1024;  // for all shards together
constexpr std::size_t most_bytes_a_reading = 4u << 20u;
constexpr std::size_t most_backlogs_a_reading = 8;

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
    const errc problem = with_.terms.tell({with_.known.abilities(), dead_.limits()});
    if (problem != errc{}) return problem;
  }
  const stored_time before = with_.clock.wall_now();
  const std::chrono::nanoseconds asked_at = with_.clock.elapsed();
  roll_call answer;
  // A node that may not take shards must not count when shards are shared out, so its entry lapses at once.
  const auto live_for = skewed_ ? std::chrono::milliseconds(1) : with_.terms.lease();
  if (const errc problem = with_.in.call_roll(node_, live_for, answer); problem != errc{}) return problem;
  const std::chrono::nanoseconds trip = with_.clock.elapsed() - asked_at;
  with_.terms.note_trip(trip);
  measured_ = true;
  judge_clock(answer.now - before - trip / 2, trip / 2);
  roll_ = roll::of(answer.nodes);
  with_.terms.share_out(roll_);
  dead_.heard(roll_);
  return errc{};
}

void reader::note_unknown(shard_id shard, const record& what) {
  ++with_.counted.now.unhandled;
  std::vector<ability> needs{ability_of_handler(what.handler)};
  if (!what.schedule.empty()) needs.push_back(ability_of_schedule(what.schedule));
  const std::string name = what.schedule.empty() ? what.handler : what.handler + " on " + what.schedule;
  with_.terms.lacks(shard, name, needs, what.due);
  if (!reported_.insert(name).second) return;
  with_.problems.report(errc::unknown_handler, "\"" + name + "\": unknown here; \"" +
                                                   std::string(parts_of(what.key).key) +
                                                   "\" stays in the store for a node that knows it");
}

void reader::lose(shard_id shard) {
  ++with_.counted.now.terms_lost;
  with_.terms.of(shard).term->end();  // so nothing starts under it, even if the store ended it early
  held_.drop(shard);
  with_.terms.lose(shard);
  with_.problems.report(errc::fenced,
                        "shard " + std::to_string(shard) + ": the term is over; another node may have it");
}

void reader::drop_lapsed() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    const auto& its = with_.terms.of(shard);
    if (!its.term || its.term->stands()) continue;
    if (lapses(shard)) {
      held_.drop(shard);
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
    } else if (fresh.contains(one.key) || (!asked.contains(one.key) && held_.will_start(shard, one.key))) {
      ends_.unkeep(with_.terms.of(shard).term->which(), one.key, one.kept);
    }
  }
}

void reader::use(shard_id shard, read_result& read) {
  auto& its = with_.terms.of(shard);
  its.level = read.upto;
  its.whole = read.whole;
  drop_needless_successors(shard, read);
  with_.terms.was_read(shard);
  for (record& what : read.due)
    if (!its.leaving && !held_.take(what, its.term)) note_unknown(shard, what);
  // A key's present record is taken at its last announcement, because a question before that was about an older
  // version.
  std::unordered_map<std::string_view, const announced*> last;
  std::set<std::string_view> passed_over;
  for (const announced& one : read.announced_keys)
    if (one.question == 0 && one.kept == 0) last[one.key] = &one;
  for (const announced& one : read.announced_keys) {
    if (one.kept != 0) continue;
    if (one.question != 0) {
      auto [reply, about, after] = held_.ask(shard, one.key);
      if (reply == answer::gone && passed_over.contains(one.key)) reply = answer::cancelled;
      // A withdrawn timer is not known here any more, so the next owner answers that question.
      const bool is_known = reply != answer::none && (reply != answer::gone || !its.leaving);
      if (is_known) ends_.answer_to(its.term->which(), one, reply, about.get());
      if (after) ends_.erase(its.term->which(), *after);
      continue;
    }
    if (last[one.key] != &one) passed_over.insert(one.key);
    const auto now = std::ranges::find(read.announced_now, one.key, &record::key);
    const bool near = last[one.key] == &one && now != read.announced_now.end() && !its.leaving;
    if (!held_.changed(shard, one.key, near ? &*now : nullptr, its.term)) note_unknown(shard, *now);
  }
  if (read.has_all_announced) held_.was_read(shard);
  held_.arm_taken();
}

std::size_t reader::room() const {
  const std::size_t held = held_.armed();  // timers without a handler here must not keep out those with one
  // Amid a backlog, runs that end and runs that are read must together fit into the limit of unwritten ends, or reading
  // would wait.
  const std::size_t half = std::max<std::size_t>(with_.how.unwritten / 2, 1);
  const bool keeps_up = ends_.unwritten() < half && held_.bytes() < with_.how.read_ahead_bytes;
  return keeps_up && with_.how.read_ahead > held ? std::min({most_a_reading, half, with_.how.read_ahead - held}) : 0;
}

// All shards share half of the room evenly, and the shards with a backlog share the other half. So a backlog in one
// shard of many is read nearly as fast as a backlog in all of them.
std::vector<read_request> reader::share_out(const std::vector<shard_id>& which, stored_time upto) const {
  const std::size_t most = room();
  const std::size_t most_bytes =
      std::min(most_bytes_a_reading, with_.how.read_ahead_bytes - std::min(with_.how.read_ahead_bytes, held_.bytes()));
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
    const bool reads = !its.leaving && !ends_.owes(shard);
    const std::size_t limit = share_of(most, its.has_backlog) + (most != 0);
    requests.push_back(
        {its.term->which(), upto, reads ? limit : 0, with_.terms.lease(), share_of(most_bytes, its.has_backlog)});
  }
  return requests;
}

errc reader::read(const std::vector<shard_id>& which) {
  if (which.empty()) {
    note_backlogs({});  // there is none in a shard of this node
    return errc{};
  }
  const std::chrono::nanoseconds asked_at = with_.clock.elapsed();
  // On a slow link the next reading may be as far away as a term is long.
  const stored_time upto =
      with_.clock.wall_now() + of(std::max<duration>(with_.how.horizon, with_.terms.lease() - with_.how.lease));
  const std::vector<read_request> requests = share_out(which, upto);
  std::vector<read_result> results(requests.size());
  if (const errc problem = with_.in.read_on(requests, results); problem != errc{}) return problem;
  for (std::size_t i = 0; i < which.size(); ++i) {
    auto& its = with_.terms.of(which[i]);
    if (results[i].unanswered) {  // the term stands until the clock ends it
      unanswered_ = true;
      its.has_backlog = false;  // its server is asked again by the next tick
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
  }
  note_backlogs(upto);
  return errc{};
}

void reader::note_backlogs(stored_time upto) {
  lags_ = false;
  with_.counted.now.read_lag = {};
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    const auto& its = with_.terms.of(shard);
    if (!its.has_backlog || !renews(shard)) continue;
    lags_ = true;
    with_.counted.now.read_lag =
        std::max<duration>(with_.counted.now.read_lag, upto - std::max(its.level, stored_time{}));
  }
}

void reader::tick() {
  has_taken_ = unanswered_ = false;
  drop_lapsed();
  held_.arm_refused();
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
  stalls_.look({problem, skewed_, roll_, held_.size() - held_.armed()});
  if (unanswered_)
    with_.problems.ok(trouble::of::parts, errc::unavailable);
  else if (reading == errc{} && !ends_.has_unanswered())
    with_.problems.ok(trouble::of::parts, errc{});
}

// A shard is read soon after it was taken, but not at once, because this node's ends under its former term must be
// written first.
errc reader::take() {
  const stored_time before = with_.clock.wall_now();
  stored_time at_most = stored_time::max();  // no fence is smaller than the store's time
  errc problem = with_.terms.take([&](shard_id shard) {
    ++with_.counted.now.terms;
    ends_.took(shard);
    rules_.look_at(shard);
    has_taken_ = true;
    at_most = std::min(at_most, stored_time(std::chrono::microseconds(with_.terms.of(shard).term->which().fence)));
  });
  if (!measured_ && at_most < before) judge_clock(at_most - before, duration(0));
  if (problem != errc{}) return problem;
  const auto leave = [&](shard_id shard) { withdraw(shard); };
  with_.terms.pick_leaver(leave);
  if (with_.terms.is_rolled()) problem = with_.terms.lend(roll_, leave);
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).foreign) ends_.forget(shard);
  return problem;
}

void reader::look_at(std::vector<shard_id> which) {
  std::erase_if(which, [&](shard_id shard) { return shard >= with_.terms.shards() || !renews(shard); });
  if (!which.empty()) with_.problems.ok(trouble::of::reading, read(which));
}

// Reading a shard costs as much as a dozen timers, so a few shards are read far rather than all of them a little.
void reader::read_backlogs(std::vector<shard_id> announced) {
  const shard_id first = next_backlog_;
  const std::size_t most = room() != 0 ? most_backlogs_a_reading : 0;
  for (std::size_t i = 0, found = 0; i < with_.terms.shards() && found < most; ++i) {
    const auto shard = static_cast<shard_id>((first + i) % with_.terms.shards());
    if (!with_.terms.of(shard).has_backlog || !renews(shard)) continue;
    ++found;
    next_backlog_ = static_cast<shard_id>(shard + 1);
    if (std::ranges::find(announced, shard) == announced.end()) announced.push_back(shard);
  }
  look_at(std::move(announced));
}

void reader::renew() {
  std::vector<shard_id> ours;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (renews(shard)) ours.push_back(shard);
  if (!ours.empty()) with_.problems.ok(trouble::of::reading, read(ours));
}

}  // namespace detent::durable::detail
