// SPDX-License-Identifier: MIT
#include "search/poll_walks/walk.hpp"

#include "search/poll_walks/moody.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {

walk::walk(const setting& with) : made_with(with), clock_(detail::to_time(with.start)), busy_(thread_count) {
  make_engines();
  make_labels();
  if (set_ == nullptr) {
    for (const auto& each : worlds_) {
      for (std::size_t i = 0; i < group_count; ++i) each->take_group(i);
    }
    return;
  }
  for (std::size_t i = 0; i < group_count; ++i) {
    set_groups_.emplace_back(*set_);
    for (std::size_t k = 0; k < worlds_.size(); ++k) worlds_[k]->take_group(i, &set_groups_[i][k]);
  }
}

walk::~walk() = default;

engine_options walk::options() {
  engine_options made{.manual = &clock_,
                      .tick = duration(made_with.tick),
                      .max_pending = made_with.capacity,
                      .on_refusal = made_with.refusal,
                      .on_error = [](const std::exception_ptr&) {},
                      .capture_origin = made_with.origin,
                      .reserve = made_with.reserve,
                      .wheel = made_with.wheel,
                      .hashed_slots = made_with.slots};
  const unsigned first = made_with.own_executor ? 0 : 1;
  executors_.resize(first);
  for (unsigned i = 0; i < made_with.executors; ++i) {
    executors_.push_back(std::make_shared<moody>(*this, first + i, made_with.keeps_order));
    if (first + i == 0) {
      made.executor = executors_.back();
    } else {
      made.executors.push_back(executors_.back());
    }
  }
  if (made_with.own_executor) executors_.push_back(nullptr);
  return made;
}

void walk::make_engines() {
  const unsigned count = std::clamp(made_with.engines, 1U, most_engines);
  engine_options each = options();
  if (made_with.set) {
    set_ = std::make_unique<sharded_engine>(sharded_options{.shards = count, .each = each});
    for (unsigned i = 0; i < count; ++i) worlds_.push_back(std::make_unique<world>(*this, i, (*set_)[i]));
  } else {
    for (unsigned i = 0; i < count; ++i) worlds_.push_back(std::make_unique<world>(*this, i, each));
  }
}

void walk::make_labels() {
  for (const auto& each : worlds_) {
    std::vector<label> made;
    for (unsigned i = 0; i < made_with.labels; ++i) {
      const std::string name(1, char('a' + i));
      made.push_back(set_ != nullptr ? set_->make_label(name) : each->real().make_label(name));
    }
    each->take_labels(made);
  }
}

std::string walk::play(const program& of) {
  for (const operation& step : of.steps) {
    perform(step);
    check_answers();
    if (broken()) break;
  }
  if (!broken()) finish();
  for (const auto& each : worlds_) {
    if (!each->specified().broke.kept()) return each->specified().broke.broken();
  }
  return run_ && broke.kept() ? run_->broke.broken() : broke.broken();
}

bool walk::broken() const {
  return !broke.kept() || (run_ && !run_->broke.kept()) ||
         std::any_of(worlds_.begin(), worlds_.end(), [](const auto& each) { return !each->specified().broke.kept(); });
}

void walk::look_at_clock() {
  if (run_) run_->reach(now());
  for (const auto& each : worlds_) each->specified().move_to(now());
}

// A callback that moves the clock makes what follows late, also inside run_until().
void walk::move_clock() {
  if (run_) run_->moved_to(now());
  look_at_clock();
}

walk::named walk::find(std::uint32_t name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? named() : found->second;
}

std::vector<world*> walk::all() const {
  std::vector<world*> found;
  for (const auto& each : worlds_) found.push_back(each.get());
  return found;
}

nanoseconds_t walk::time_of(const moment& when) const {
  if (when.from == moment::base::zero) return when.by;
  if (when.from == moment::base::now) return spec::plus(now(), when.by);
  const named timer = find(when.name);
  const auto deadline = timer.of == nullptr ? std::nullopt : timer.of->specified().deadline(timer.id);
  return spec::plus(deadline.value_or(now()), when.by);
}

void walk::turn(world& of, timer_id id) {
  if (run_ && run_->drives(of.specified()) && !of.is_polled_by_hand()) run_->turn(of.specified(), id);
}

// Performs the step on the thread that it names, unless that thread waits for this one.
void walk::perform(const operation& step) {
  const unsigned wanted = step.thread % thread_count;
  if (wanted == me || busy_[wanted]) return perform_here(step);
  const unsigned was = std::exchange(me, wanted);
  busy_[was] = true;
  if (wanted == 0) {
    perform_here(step);  // thread 0 is the one that plays
  } else {
    helpers_.run(wanted, [&] { perform_here(step); });
  }
  busy_[was] = false;
  me = was;
}

// In walks with executors each timer has a tag of its own, by which the offered one is known.
bool walk::execute(unsigned executor, fired_timer&& work) {
  const std::uint64_t number = work.tag() / tags_of_a_world;
  broke.require(number < worlds_.size(), "an executor is offered a timer with its tag");
  if (!broken()) return worlds_[number]->execute(executor, std::move(work));
  fired_timer ends(std::move(work));
  ends();  // so that nothing goes on for ever
  return true;
}

void walk::check_answers() {
  if (broken()) return;
  for (const auto& each : worlds_) each->check_answers();
  if (set_ == nullptr) return;
  std::size_t pending = 0;
  for (const auto& each : worlds_) pending += each->specified().pending();
  broke.require(set_->pending() == pending, "sharded_engine::pending()");
  broke.require(set_->stopped() == std::all_of(worlds_.begin(), worlds_.end(),
                                               [](const auto& each) { return each->specified().is_stopped(); }),
                "sharded_engine::stopped()");
  for (std::size_t i = 0; i < set_groups_.size(); ++i) {
    std::size_t members = 0;
    for (const auto& each : worlds_) members += each->specified_pending_in(i);
    broke.require(set_groups_[i].pending() == members, "sharded_group::pending()");
  }
}

void walk::finish() {
  for (const auto& each : worlds_) {
    each->hand_back(true);
    each->poll(SIZE_MAX);
  }
  check_answers();
  for (const auto& each : worlds_) each->list();
  if (!broken()) stop(all());
  for (const auto& each : worlds_) {
    if (!broken()) each->check_end();
  }
  if (broken()) return;
  set_groups_.clear();
  for (const auto& each : worlds_) each->end();
  set_.reset();
  for (const auto& each : worlds_) each->check_captures();
}

}  // namespace detent::poll_walks
