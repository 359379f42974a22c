// SPDX-License-Identifier: MIT
// The calls by which a world makes timers.
#include "search/poll_walks/walk.hpp"
#include "search/poll_walks/world.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {
namespace {

// Reports its destruction.
class witness {
 public:
  witness(world& of, timer_id id) : world_(&of), id_(id) {}
  witness(witness&& other) noexcept : world_(std::exchange(other.world_, nullptr)), id_(other.id_) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (world_ != nullptr) world_->destroyed(id_);
  }
  void operator()(firing& seen) const { world_->run(id_, seen); }

 private:
  world* world_;
  timer_id id_;
};

}  // namespace

world::account& world::account_of(timer_id id) {
  while (accounts_.size() < id) accounts_.emplace_back();
  return accounts_[id - 1];
}

timer_options world::options_of(const spec::plan& asked) {
  timer_options made{.tag = asked.tag,
                     .lane = asked.lane,
                     .slack = duration(asked.slack),
                     .max_lateness = duration(asked.max_lateness),
                     .stale = asked.stale};
  if (asked.label != 0) made.label = labels_[asked.label - 1];
  if (asked.executor != 0) made.executor = executor_of(asked.executor);
  return made;
}

executor* world::executor_of(unsigned number) {
  const std::shared_ptr<executor>& named = walk_.executors()[number];
  return named != nullptr ? named.get() : on_driver();
}

periodic_options world::periodic_options_of(const spec::plan& asked) {
  periodic_options made{.runs = asked.runs,
                        .missed_policy = asked.missed,
                        .tag = asked.tag,
                        .lane = asked.lane,
                        .slack = duration(asked.slack)};
  if (asked.label != 0) made.label = labels_[asked.label - 1];
  if (asked.executor != 0) made.executor = executor_of(asked.executor);
  return made;
}

spec::plan world::plan_of(const operation& step) {
  spec::plan asked = step.asked;
  asked.label %= static_cast<std::uint32_t>(labels_.size() + 1);
  const auto executors = static_cast<unsigned>(walk_.executors().size());
  asked.executor = executors == 0 ? 0 : asked.executor % executors;
  asked.group %= static_cast<spec::group_id>(groups_.size() + 1);
  if (asked.group != spec::no_group) asked.group = groups_[asked.group - 1].id;
  // An executor knows a timer by its tag.
  if (walk_.made_with.executors != 0) asked.tag = number_ * tags_of_a_world + spec_.made() + 1;
  return asked;
}

// A member of a bulk has no group, and a copy that is dropped does not say so.
spec::plan world::plan_of_bulk(const operation& step) {
  spec::plan asked = plan_of(step);
  asked.group = spec::no_group;
  asked.repeats = spec::repetition::once;
  asked.max_lateness = spec::end_of_time;
  return asked;
}

template <class F>
timer world::call_schedule(const spec::plan& asked, bool after, nanoseconds_t delay, F&& callable) {
  const time_point when = detail::to_time(asked.when);
  const duration initial(delay), period(asked.period);
  const auto call = [&](auto& on) {
    if (asked.repeats == spec::repetition::once && after)
      return on.try_schedule_after(initial, std::forward<F>(callable), options_of(asked));
    if (asked.repeats == spec::repetition::once)
      return on.try_schedule_at(when, std::forward<F>(callable), options_of(asked));
    try {
      return asked.repeats == spec::repetition::fixed_rate
                 ? on.schedule_at_fixed_rate(initial, period, std::forward<F>(callable), periodic_options_of(asked))
                 : on.schedule_with_fixed_delay(initial, period, std::forward<F>(callable), periodic_options_of(asked));
    } catch (const error& refused) {
      return detail::timer_access::refusal(static_cast<errc>(refused.code().value()));
    }
  };
  if (asked.group == spec::no_group) return call(*engine_);
  return call(*group_of(asked.group));
}

timer_group* world::group_of(spec::group_id id) const {
  for (const group_pair& each : groups_) {
    if (each.id == id) return each.group;
  }
  return nullptr;
}

void world::make(const operation& step) {
  if (spec_.made() + step.count > most_timers) return;
  nanoseconds_t when = walk_.time_of(step.when);
  for (std::uint32_t i = 0; i < step.count && !walk_.broken(); ++i) {
    make_one(step, step.name + i, when);
    when = spec::plus(when, step.step);
  }
}

void world::make_one(const operation& step, std::uint32_t name, nanoseconds_t when) {
  spec::plan asked = plan_of(step);
  asked.when = when;
  const nanoseconds_t delay = spec::minus(when, walk_.now());
  if (asked.repeats != spec::repetition::once || step.after) asked.when = spec::after(walk_.now(), delay);
  const bool has_options = asked.tag != 0 || asked.label != 0 || asked.group != 0 || asked.slack != 0 ||
                           asked.lane != 0 || asked.executor != 0 || asked.max_lateness != spec::end_of_time;
  const bool plain = step.plain && !has_options && asked.repeats == spec::repetition::once;
  const spec::scheduled expected = spec_.schedule(asked, walk_.me);
  account& of = account_of(expected.id);
  of.witnessed = !plain;
  of.inside = &step.inside;
  walk_.name(name, *this, expected.id);
  timer made;
  if (plain) {
    const auto callable = [this, id = expected.id](firing& seen) { run(id, seen); };
    made = step.after ? engine_->try_schedule_after(duration(delay), callable)
                      : engine_->try_schedule_at(detail::to_time(when), callable);
  } else {
    made = call_schedule(asked, step.after, delay, witness(*this, expected.id));
  }
  const auto reason = static_cast<errc>(made.error().code().value());
  if (expected.refused()) {
    spec_.broke.require(!made, "a schedule call has to be refused");
    spec_.broke.require(expected.refusals.contains(reason), "why a schedule call is refused");
  } else {
    spec_.broke.require(static_cast<bool>(made), "a schedule call is refused without a reason",
                        [&] { return made.error().message(); });
  }
  // The callback may have run already, on an executor of another thread.
  note_handle(expected.id, made);
}

void world::make_bulk(const operation& step) {
  if (spec_.made() + step.count > most_timers) return;
  const spec::plan asked = plan_of_bulk(step);
  std::vector<nanoseconds_t> when{walk_.time_of(step.when)};
  while (when.size() < step.count) when.push_back(spec::plus(when.back(), step.step));
  std::vector<time_point> deadlines;
  for (const nanoseconds_t each : when) deadlines.push_back(detail::to_time(each));
  const bool refused = spec_.is_closed();
  const auto [first, count] = spec_.schedule_bulk(when, asked, walk_.me);
  for (std::uint32_t i = 0; i < step.count; ++i) note_bulk(step, step.name + i, first + i);
  std::vector<timer> made(step.count);
  std::size_t done = 0;
  try {
    done = engine_->schedule_at_bulk(
        deadlines, [this, first = first](firing& seen, std::size_t i) { run(static_cast<timer_id>(first + i), seen); },
        made, options_of(asked));
    spec_.broke.require(!refused, "schedule_at_bulk() has to be refused");
  } catch (const error& problem) {
    spec_.broke.require(refused && problem.code() == errc::stopped, "why schedule_at_bulk() is refused");
  }
  spec_.broke.require(done == count, "how many schedule_at_bulk() schedules", [&, count = count] {
    return std::to_string(done) + ", and it should be " + std::to_string(count);
  });
  for (std::size_t i = 0; i < done; ++i) note_handle(static_cast<timer_id>(first + i), made[i]);
}

void world::note_bulk(const operation& step, std::uint32_t name, timer_id id) {
  account_of(id).inside = &step.inside;
  account_of(id).of_bulk = true;
  walk_.name(name, *this, id);
}

void world::note_handle(timer_id id, const timer& made) {
  account_of(id).handle = made;
  account_of(id).made = true;
}

}  // namespace detent::poll_walks
