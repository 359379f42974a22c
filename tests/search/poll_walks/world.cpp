// SPDX-License-Identifier: MIT
#include "search/poll_walks/world.hpp"

#include "limits.hpp"

#include "search/poll_walks/moody.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {
namespace {

constexpr unsigned group_count = 3, thread_count = 3;
// How many callbacks may run inside each other, as executors run what they hold inside callbacks.
constexpr std::size_t deepest = 4;

spec::settings settings_of(const setting& of) {
  spec::settings made{.tick = of.tick,
                      .start = of.start,
                      .max_pending = of.capacity,
                      .on_refusal = of.refusal,
                      .members_a_poll = detail::limits::sweep_a_poll,
                      .executors = {}};
  if (!of.own_executor) made.executors.push_back({.is_inline = true});
  while (made.executors.size() < of.executors + (of.own_executor ? 0 : 1))
    made.executors.push_back({.is_inline = false, .keeps_order = of.keeps_order});
  if (of.own_executor) made.executors.push_back({.is_inline = true});  // on_driver()
  return made;
}

}  // namespace

world::world(const setting& made_with)
    : made_with_(made_with),
      clock_(detail::to_time(made_with.start)),
      spec_(settings_of(made_with)),
      busy_(thread_count) {
  engine_options options{.name = "walk",
                         .manual = &clock_,
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
      options.executor = executors_.back();
    } else {
      options.executors.push_back(executors_.back());
    }
  }
  if (made_with.own_executor) executors_.push_back(nullptr);
  engine_ = std::make_unique<engine>(std::move(options));
  if (made_with.fd) wake_fd_ = engine_->wake_fd();
  for (unsigned i = 0; i < made_with.labels; ++i) labels_.push_back(engine_->make_label(std::string(1, char('a' + i))));
  for (unsigned i = 0; i < group_count; ++i)
    groups_.push_back({std::make_unique<timer_group>(*engine_), spec_.make_group()});
}

world::~world() = default;

std::string world::play(const program& of) {
  for (const operation& step : of.steps) {
    perform(step);
    check_answers();
    if (broken()) break;
  }
  if (!broken()) finish();
  return spec_.broke.broken();
}

template <class A, class B>
void world::expect_equal(const A& came, const B& expected, const char* what) {
  spec_.broke.require(came == static_cast<A>(expected), what,
                      [&] { return std::to_string(came) + ", and it should be " + std::to_string(expected); });
}

// On the thread that the step names, unless that waits for this one.
void world::perform(const operation& step) {
  const unsigned wanted = step.thread % thread_count;
  if (wanted == me_ || busy_[wanted]) return perform_here(step);
  const unsigned was = std::exchange(me_, wanted);
  busy_[was] = true;
  if (wanted == 0) {
    perform_here(step);  // thread 0 is the one that plays
  } else {
    helpers_.run(wanted, [&] { perform_here(step); });
  }
  busy_[was] = false;
  me_ = was;
}

void world::perform_here(const operation& step) {
  switch (step.what) {
    case action::schedule:
    case action::rate:
    case action::delay: return make(step);
    case action::bulk: return make_bulk(step);
    case action::cancel:
    case action::cancel_bulk:
    case action::restart:
    case action::ask: return on_timers(step);
    case action::pause:
    case action::resume:
    case action::cancel_all:
    case action::end: return on_group(step);
    case action::advance: clock_.advance(duration(step.number)); return spec_.move_to(now());
    case action::reach: clock_.advance_to(detail::to_time(time_of(step.when))); return spec_.move_to(now());
    case action::poll: return poll(static_cast<std::size_t>(std::max<nanoseconds_t>(step.number, 0)));
    case action::next: return ask_next();
    case action::list: return list();
    case action::metrics: return compare_metrics();
    case action::move: return move();
    case action::close: spec_.close(); return engine_->close();
    case action::executor: held_mode_ = static_cast<unsigned>(step.number) % 4; return;
    case action::run_held: return hand_back(true);
    case action::drop_held: return hand_back(false);
    case action::rearm:
    case action::raise: return;  // of callbacks alone
  }
}

void world::check_answers() {
  if (broken()) return;
  expect_equal(engine_->pending(), spec_.pending(), "engine::pending()");
  for (const group_pair& each : groups_)
    expect_equal(each.group->pending(), spec_.pending_in(each.id), "timer_group::pending()");
}

// --- Runs

void world::run(timer_id id, firing& seen) {
  account& of = account_of(id);
  ++of.runs;
  if (over_) return run_returned(seen);
  spec_.move_to(now());
  spec_.begin_run(id, me_,
                  {.deadline = detail::to_ns(seen.deadline()),
                   .lateness = seen.lateness().count(),
                   .missed = seen.missed(),
                   .tag = seen.tag(),
                   .stale = seen.stale()});
  spec_.broke.require(!of.made || seen.self() == of.handle, "firing::self() is the timer");
  running_.push_back({id, me_});
  bool throws = false;
  if (of.inside != nullptr && running_.size() <= deepest) {
    for (const operation& step : *of.inside) {
      if (broken() || over_) break;
      if (step.what == action::rearm && may_arm(id)) {
        const nanoseconds_t when = time_of(step.when);
        spec_.rearm(id, when);
        seen.rearm_at(detail::to_time(when));
      } else if (step.what == action::raise) {
        throws = true;
      } else {
        perform(step);
      }
    }
  }
  running_.pop_back();
  if (!broken()) spec_.end_run(id, me_, throws);
  if (throws) throw 1;
}

void world::destroyed(timer_id id) {
  account& of = account_of(id);
  ++of.destroyed;
  spec_.broke.require(of.destroyed == 1, "captures are destroyed once");
  spec_.move_to(now());
  if (!broken()) spec_.captures_destroyed(id);
}

// --- The end

// Half of what stop() gave back runs, and the captures of all of it are destroyed.
void world::run_returned(std::vector<unfired_timer>& left) {
  for (std::size_t i = 0; i < left.size(); i += 2) {
    returned_ = detail::to_ns(left[i].deadline);
    left[i].run();
  }
  left.clear();
}

// Such a run has a deadline and no timer, and arms nothing.
void world::run_returned(firing& seen) {
  expect_equal(detail::to_ns(seen.deadline()), returned_, "the deadline in a run of what stop() gave back");
  spec_.broke.require(seen.self() == timer(), "firing::self() of what stop() gave back");
  seen.rearm_after(duration(1));
}

void world::finish() {
  hand_back(true);
  poll(SIZE_MAX);
  check_answers();
  list();
  if (broken()) return;
  std::map<timer, timer_id> by_handle;
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).handle) by_handle[account_of(id).handle] = id;
  }
  std::map<timer_id, spec::returned_timer> expected = spec_.stop(), came;
  over_ = true;
  std::vector<unfired_timer> left = engine_->stop();
  for (const unfired_timer& each : left) came[by_handle[each.handle]] = {detail::to_ns(each.deadline), each.tag};
  expect_equal(left.size(), expected.size(), "how many timers stop() returns");
  spec_.broke.require(came == expected, "stop() returns what had not ended, with its deadline");
  run_returned(left);
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).handle) ask(id);
  }
  compare_metrics();
  poll(SIZE_MAX);
  if (broken()) return;
  groups_.clear();
  engine_.reset();
  held_.clear();
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).witnessed) expect_equal(account_of(id).destroyed, 1, "captures are destroyed once");
  }
}

}  // namespace detent::poll_walks
