// SPDX-License-Identifier: MIT
// A walk whose engines are the shards of a sharded_engine: the calls on all of them.
#include "search/poll_walks/walk.hpp"

#include <algorithm>
#include <utility>

#include "search/poll_walks/counting.hpp"

namespace detent::poll_walks {

// A group of a set is paused, resumed and cancelled as a whole or in one of its parts, and ends as a whole. "Its calls
// go through the shards in turn" (sharded_group), and nothing happens between them here.
void walk::on_groups(const operation& step) {
  const std::size_t place = (step.name - 1) % group_count;
  const bool whole = set_ != nullptr && (step.all || step.what == action::end);
  const std::vector<world*> parts =
      whole || step.all ? all() : std::vector<world*>{worlds_[step.on % worlds_.size()].get()};
  // It would wait for that run, which waits for this.
  const bool waits = step.what == action::end || step.wait;
  if (waits && std::any_of(parts.begin(), parts.end(), [=](world* each) { return each->is_run_elsewhere(place); }))
    return;
  for (world* each : parts) each->specify_group(step.what, place);
  if (whole) return on_whole_group(step, place);
  for (world* each : parts) each->call_group(step, place);
}

void walk::on_whole_group(const operation& step, std::size_t place) {
  sharded_group& of = set_groups_[place];
  switch (step.what) {
    case action::pause: return of.pause();
    case action::resume: return of.resume();
    case action::cancel_all: return step.wait ? of.cancel_all_and_wait() : of.cancel_all();
    default:
      of = sharded_group(*set_);
      for (std::size_t i = 0; i < worlds_.size(); ++i) worlds_[i]->take_group(place, &of[i]);
  }
}

// "Schedules one timer for each deadline, on the shard of the key in the same place" and "returns how many were
// scheduled. If capacity or memory ran out on a shard, handles of that shard are empty. If none were scheduled, throws
// as engine::schedule_at_bulk()." (sharded_engine::schedule_at_bulk) If shards have refused "some because they are
// stopped and others because they are full, the call throws `errc::stopped` or returns 0" (sharding.md).
void walk::make_bulk(const operation& step) {
  // The timers have one tag, which cannot name the world of each.
  if (made_with.executors != 0) return;
  for (const auto& each : worlds_) {
    if (each->specified().made() + step.count > most_timers) return;
  }
  std::vector<std::uint32_t> keys;
  std::vector<time_point> deadlines;
  std::vector<std::size_t> shards;
  std::vector<std::vector<nanoseconds_t>> shares(worlds_.size());
  nanoseconds_t when = time_of(step.when);
  for (std::uint32_t i = 0; i < step.count; ++i, when = spec::plus(when, step.step)) {
    keys.push_back(step.name + i);
    deadlines.push_back(detail::to_time(when));
    shards.push_back(set_->index_of(keys.back()));
    shares[shards.back()].push_back(when);
  }
  const spec::plan asked = worlds_.front()->plan_of_bulk(step);
  std::size_t expected = 0;
  bool is_refused = false, is_full = false;
  std::vector<timer_id> next(worlds_.size());
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    spec::engine& of = worlds_[i]->specified();
    is_refused |= !shares[i].empty() && of.is_closed();
    const auto [first, scheduled] = of.schedule_bulk(shares[i], asked, me);
    next[i] = first;
    is_full |= scheduled < shares[i].size() && !of.is_closed();
    expected += scheduled;
  }
  const auto places = std::make_shared<std::vector<named>>();
  for (std::uint32_t i = 0; i < step.count; ++i) {
    world& of = *worlds_[shards[i]];
    places->push_back({&of, next[shards[i]]++});
    of.note_bulk(step, step.name + i, places->back().id);
  }
  std::vector<timer> made(step.count);
  std::size_t done = 0;
  try {
    done = set_->schedule_at_bulk(
        keys, deadlines, [places](firing& seen, std::size_t i) { (*places)[i].of->run((*places)[i].id, seen); }, made,
        worlds_.front()->options_of(asked));
    broke.require(expected != 0 || !is_refused || is_full, "schedule_at_bulk() of a set has to be refused");
  } catch (const error& problem) {
    broke.require(expected == 0 && is_refused && problem.code() == errc::stopped,
                  "why schedule_at_bulk() of a set is refused");
  }
  broke.require(done == expected, "how many schedule_at_bulk() of a set schedules",
                [&] { return std::to_string(done) + ", and it should be " + std::to_string(expected); });
  for (std::uint32_t i = 0; i < step.count; ++i) {
    if (made[i]) (*places)[i].of->note_handle((*places)[i].id, made[i]);
    broke.require(static_cast<bool>(made[i]) == ((*places)[i].of->timer_of((*places)[i].id).how == spec::ending::none),
                  "which timers schedule_at_bulk() of a set schedules");
  }
}

// "These cover all shards" (sharded_engine).
void walk::list() {
  const std::vector<pending_timer> came = set_->list_pending();
  std::size_t expected = 0;
  for (const auto& each : worlds_) {
    expected += each->specified().list_pending().size();
    each->compare_list(came);
  }
  broke.require(came.size() == expected, "how many timers sharded_engine::list_pending() lists");
}

void walk::compare_metrics() {
  if (!running.empty()) return;  // exact at rest
  spec::counts whole;
  for (const auto& each : worlds_) whole += each->specified().metrics();
  poll_walks::compare(set_->metrics(), whole, false, broke);
  for (unsigned i = 0; i < made_with.labels; ++i) {
    spec::counts of_label;
    for (const auto& each : worlds_) of_label += each->specified().metrics(i + 1);
    poll_walks::compare(set_->metrics(worlds_.front()->labels()[i]), of_label, true, broke);
  }
}

}  // namespace detent::poll_walks
