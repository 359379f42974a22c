// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include "../stores/clocks.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t most_a_reading = 1024;  // of all shards together

std::chrono::microseconds of(duration its) noexcept { return std::chrono::ceil<std::chrono::microseconds>(its); }

}  // namespace

errc reader::call_roll() {
  const stored_time before = wall_now();
  const std::chrono::nanoseconds asked_at = elapsed();
  roll_call roll;
  // A node that may not take shards must not count when they are shared out.
  const auto live_for = skewed_ ? std::chrono::milliseconds(1) : with_.terms.lease();
  if (const errc problem = with_.in.call_roll(node_, live_for, roll); problem != errc{}) return problem;
  const std::chrono::nanoseconds trip = elapsed() - asked_at;
  const duration skew = roll.now - before - trip / 2;
  with_.counted.now.skew = skew;
  const bool skewed = std::chrono::abs(skew) - trip / 2 > with_.how.max_skew;
  measured_ = measured_ || trip / 2 <= with_.how.max_skew;  // what took longer shows no smaller skew
  if (skewed != std::exchange(skewed_, skewed) && skewed) {
    with_.problems.report(errc::not_permitted, "this node's clock is off by more than max_skew: it takes no shards");
    leave_all();
  }
  with_.terms.share_out(roll.nodes);
  return errc{};
}

void reader::report_unknown(shard_id shard, const record& what) {
  ++with_.counted.now.unhandled;
  with_.terms.of(shard).lacking = true;
  const std::string name = what.schedule.empty() ? what.handler : what.handler + " on " + what.schedule;
  if (!reported_.insert(name).second) return;
  with_.problems.report(errc::unknown_handler, "\"" + name + "\": unknown here; \"" +
                                                   std::string(parts_of(what.key).key) +
                                                   "\" stays in the store for a node that knows it");
}

void reader::lose(shard_id shard) {
  ++with_.counted.now.terms_lost;
  with_.terms.of(shard).term->end();  // nothing starts under it, also where the store ended it before its time
  with_.held.drop(shard);
  with_.terms.lose(shard);
  with_.problems.report(errc::fenced,
                        "shard " + std::to_string(shard) + ": the term is over; another node may have it");
}

void reader::drop_lapsed() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    const auto& its = with_.terms.of(shard);
    if (its.term && !its.term->stands()) lose(shard);
  }
}

void reader::use(shard_id shard, read_result& read) {
  auto& its = with_.terms.of(shard);
  its.level = read.upto;
  for (record& what : read.due)
    if (!its.leaving && !with_.held.take(what, its.term)) report_unknown(shard, what);
  // A key's present record is taken at its last line: a question before that was about an older version.
  std::unordered_map<std::string_view, const announced*> last;
  std::set<std::string_view> passed_over;
  for (const announced& one : read.announced_keys)
    if (one.question == 0) last[one.key] = &one;
  for (const announced& one : read.announced_keys) {
    if (one.question != 0) {
      auto [reply, about, after] = with_.held.ask(shard, one.key);
      if (reply == answer::gone && passed_over.contains(one.key)) reply = answer::cancelled;
      // A withdrawn timer is not known here any more: that question is for the next owner.
      const bool is_known = reply != answer::none && (reply != answer::gone || !its.leaving);
      if (is_known) with_.ends.answer_to(its.term->which(), one, reply, about.get());
      if (after) with_.ends.erase(its.term->which(), *after);
      continue;
    }
    if (last[one.key] != &one) passed_over.insert(one.key);
    const auto now = std::ranges::find(read.announced_now, one.key, &record::key);
    const bool near = last[one.key] == &one && now != read.announced_now.end() && now->due <= its.level && !its.leaving;
    if (!with_.held.changed(shard, one.key, near ? &*now : nullptr, its.term)) report_unknown(shard, *now);
  }
}

// All shards share half of the room evenly, and the shards with a backlog share the other half. So a backlog in one
// shard of many is read nearly as fast as one in all of them.
std::vector<read_request> reader::share_out(const std::vector<shard_id>& which, stored_time upto) const {
  const std::size_t held = with_.held.armed();  // what no handler here knows must not stop what one does
  // Amid a backlog, runs that end and runs that are read fit into the limit of unwritten ends: else reading would wait.
  const std::size_t half = std::max<std::size_t>(with_.how.unwritten / 2, 1);
  const bool keeps_up = with_.ends.waiting() - with_.ends.unanswered() < half;
  const std::size_t room = keeps_up && with_.how.read_ahead > held ? with_.how.read_ahead - held : 0;
  const std::size_t most = std::min({most_a_reading, half, room});
  const auto has_backlog = [&](shard_id shard) { return with_.terms.of(shard).has_backlog; };
  const auto backlogs = static_cast<std::size_t>(std::ranges::count_if(which, has_backlog));
  const std::size_t more = backlogs == 0 ? 0 : most / 2 / backlogs;
  const std::size_t share = (backlogs == 0 ? most : most - most / 2) / which.size() + (room != 0);
  std::vector<read_request> requests;
  requests.reserve(which.size());
  for (const shard_id shard : which) {
    const auto& its = with_.terms.of(shard);
    const bool reads = !its.leaving && !with_.ends.owes(shard);
    const std::size_t limit = share + (its.has_backlog ? more : 0);
    requests.push_back({its.term->which(), upto, reads ? limit : 0, with_.terms.lease()});
  }
  return requests;
}

errc reader::read(const std::vector<shard_id>& which) {
  if (which.empty()) return errc{};
  const std::chrono::nanoseconds asked_at = elapsed();
  const stored_time upto = wall_now() + of(with_.how.horizon);
  const std::vector<read_request> requests = share_out(which, upto);
  std::vector<read_result> results(requests.size());
  if (const errc problem = with_.in.read_on(requests, results); problem != errc{}) return problem;
  for (std::size_t i = 0; i < which.size(); ++i) {
    auto& its = with_.terms.of(which[i]);
    if (results[i].unanswered) {  // the term stands as long as the clock says
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
    its.has_backlog = !its.leaving && its.level < upto;
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
  // Terms are renewed even if that failed: of several servers, the one that has the roll may be gone alone.
  std::vector<shard_id> ours;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).term) ours.push_back(shard);
  const errc reading = read(ours);
  if (problem == errc{}) problem = reading;
  if (problem == errc{} && measured_ && !skewed_) problem = take();
  with_.problems.ok(trouble::of::reading, problem);
  if (unanswered_)
    with_.problems.ok(trouble::of::parts, errc::unavailable);
  else if (reading == errc{} && with_.ends.unanswered() == 0)
    with_.problems.ok(trouble::of::parts, errc{});
}

// A shard that was taken is read soon, but not at once: the ends under our former term have to be written before.
errc reader::take() {
  const errc problem = with_.terms.take([&](shard_id shard) {
    ++with_.counted.now.terms;
    with_.ends.took(shard);
    lags_ = true;
  });
  if (problem != errc{}) return problem;
  with_.terms.pick_leavers([&](shard_id shard) { with_.held.withdraw(shard); });
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).foreign) with_.ends.forget(shard);
  return errc{};
}

void reader::look_at(const std::vector<shard_id>& announced) {
  std::vector<shard_id> ours;
  for (const shard_id shard : announced)
    if (shard < with_.terms.shards() && with_.terms.of(shard).term && with_.terms.of(shard).term->stands())
      ours.push_back(shard);
  if (!ours.empty()) with_.problems.ok(trouble::of::reading, read(ours));
}

void reader::renew() {
  std::vector<shard_id> ours;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (const auto& its = with_.terms.of(shard); its.term && its.term->stands()) ours.push_back(shard);
  if (!ours.empty()) with_.problems.ok(trouble::of::reading, read(ours));
}

void reader::leave_all() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    auto& its = with_.terms.of(shard);
    if (its.term) its.leaving = true;
  }
}

bool reader::give_back() {
  std::vector<shard_id> done;
  bool all = true;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    auto& its = with_.terms.of(shard);
    if (!its.term || !its.leaving) continue;
    with_.held.withdraw(shard);
    if (with_.held.size(shard) == 0)
      done.push_back(shard);
    else
      all = false;
  }
  return (done.empty() || with_.problems.ok(trouble::of::reading, with_.terms.give_back(done))) && all;
}

}  // namespace detent::durable::detail
