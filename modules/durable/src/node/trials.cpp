// SPDX-License-Identifier: MIT
#include "trials.hpp"

#include "writer.hpp"

#include <utility>

namespace detent::durable::detail {

void trials::due(const std::shared_ptr<run>& what) {
  const std::size_t most = what->by()->how.most_running;
  entrance& its = entrances_[what->by()];
  if (most != 0 && its.inside >= most)
    its.outside.push_back(what);
  else
    let_in(what);
}

void trials::let_in(const std::shared_ptr<run>& what) {
  const std::uint64_t id = what->what().id;
  leave(id);  // it belongs to an older term
  of_.emplace(id, known{what, what->by()});
  ++entrances_[what->by()].inside;
  runs_.add(id, what->what().attempt, what->by()->how.max_attempts);
}

void trials::leave(std::uint64_t id) {
  runs_.over(id);
  const auto found = of_.find(id);
  if (found == of_.end()) return;
  entrance& its = entrances_[found->second.by];
  of_.erase(found);
  --its.inside;
  while (!its.outside.empty()) {
    const std::shared_ptr<run> next = its.outside.front().lock();
    its.outside.pop_front();
    if (next) return let_in(next);
  }
}

void trials::begun(const run& what) {
  const auto found = of_.find(what.what().id);
  if (found != of_.end() && found->second.what.lock().get() == &what) runs_.begun(found->first, clock_.elapsed());
}

void trials::over(const run& what) {
  const auto found = of_.find(what.what().id);
  if (found != of_.end() && found->second.what.lock().get() == &what) leave(found->first);  // no newer term runs it
}

void trials::settled(const marked& what, bool stored) {
  if (!stored)
    over(*what.what);
  else if (what.starts)
    what.what->line().hold(what.what);
}

void trials::work(writer& by) {
  for (bool again = true; again;) {
    again = false;
    const careful_runs::decision now = runs_.decide(clock_.elapsed());
    const auto take = [&](std::uint64_t id, bool starts) {
      const auto found = of_.find(id);
      std::shared_ptr<run> its = found == of_.end() ? nullptr : found->second.what.lock();
      if (its && (!starts || its->claim())) return its;
      leave(id);  // it was withdrawn, so another one can start
      again = true;
      return std::shared_ptr<run>();
    };
    for (const careful_runs::mark& one : now.marks)
      if (auto its = take(one.id, one.starts)) by.mark({std::move(its), one.starts}, one.attempt);
    for (const std::uint64_t id : now.given_up) {
      if (auto its = take(id, true)) by.give_up(std::move(its));
      leave(id);
      again = true;
    }
  }
}

void trials::withdraw(writer& by) {
  std::vector<std::shared_ptr<run>> marked_ones;
  for (const auto& [id, its] : of_)
    if (auto what = its.what.lock(); what && what->line().take_back(*what)) marked_ones.push_back(std::move(what));
  for (std::shared_ptr<run>& what : marked_ones) {
    const std::uint32_t attempt = what->what().attempt;
    leave(what->what().id);
    by.mark({.what = std::move(what), .stays = true}, attempt);
  }
}

}  // namespace detent::durable::detail
