// SPDX-License-Identifier: MIT
#include "search/poll_walks/world.hpp"

#include "limits.hpp"

#include "search/poll_walks/walk.hpp"

#include <algorithm>
#include <utility>

namespace detent::poll_walks {
namespace {

// At most this many callbacks run inside each other, which they do because executors run what they hold in callbacks.
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

world::world(walk& of, unsigned number, const engine_options& options)
    : walk_(of),
      number_(number),
      spec_(settings_of(of.made_with)),
      own_(std::make_unique<engine>(options)),
      engine_(own_.get()),
      groups_(group_count) {
  if (of.made_with.fd) wake_fd_ = engine_->wake_fd();
}

world::world(walk& of, unsigned number, engine& shard)
    : walk_(of), number_(number), spec_(settings_of(of.made_with)), engine_(&shard), groups_(group_count) {
  if (of.made_with.fd) wake_fd_ = engine_->wake_fd();
}

world::~world() = default;

bool world::is_polled() const { return polling_ || walk_.drives_in(spec_); }

unsigned world::poller() const { return polling_ ? poller_ : walk_.driver(); }

bool world::runs_here() const {
  return std::any_of(walk_.running.begin(), walk_.running.end(),
                     [this](const auto& each) { return each.of == this && each.on == walk_.me; });
}

bool world::runs_elsewhere() const {
  return std::any_of(walk_.running.begin(), walk_.running.end(),
                     [this](const auto& each) { return each.of == this && each.on != walk_.me; });
}

void world::check_answers() {
  const auto same = [this](std::size_t came, std::size_t expected, const char* what) {
    spec_.broke.require(came == expected, what,
                        [&] { return std::to_string(came) + ", and it should be " + std::to_string(expected); });
  };
  same(engine_->pending(), spec_.pending(), "engine::pending()");
  for (const group_pair& each : groups_)
    same(each.group->pending(), spec_.pending_in(each.id), "timer_group::pending()");
  spec_.broke.require(engine_->stopped() == spec_.is_stopped(), "stopped()");
  spec_.broke.require(detail::to_ns(engine_->now()) == walk_.now(), "engine::now()");
}

// --- Groups

void world::take_group(std::size_t place, timer_group* part) {
  group_pair& of = groups_[place];
  of.id = spec_.make_group();
  of.group = part;
  if (part != nullptr) return;
  of.own = std::make_unique<timer_group>(*engine_);
  of.group = of.own.get();
}

bool world::is_run_elsewhere(std::size_t place) const {
  return std::any_of(walk_.running.begin(), walk_.running.end(), [&](const auto& each) {
    return each.of == this && each.on != walk_.me && timer_of(each.id).asked.group == groups_[place].id;
  });
}

void world::specify_group(action what, std::size_t place) {
  const spec::group_id id = groups_[place].id;
  switch (what) {
    case action::pause: return spec_.pause(id);
    case action::resume: return spec_.resume(id);
    case action::cancel_all: return spec_.cancel_all(id);
    default: return spec_.end_group(id);
  }
}

void world::call_group(const operation& step, std::size_t place) {
  timer_group& of = *groups_[place].group;
  switch (step.what) {
    case action::pause: return of.pause();
    case action::resume: return of.resume();
    case action::cancel_all: return step.wait ? of.cancel_all_and_wait() : of.cancel_all();
    default: groups_[place].own.reset(); take_group(place);
  }
}

// --- Runs

void world::run(timer_id id, firing& seen) {
  if (walk_.broken()) {
    seen.self().cancel();  // so that nothing goes on for ever
    return;
  }
  account& of = account_of(id);
  ++of.runs;
  if (walk_.runs_returned()) return walk_.run_returned(seen);
  walk_.look_at_clock();
  if (timer_of(id).now == spec::phase::waiting) walk_.turn(*this, id);
  spec_.begin_run(id, walk_.me,
                  {.deadline = detail::to_ns(seen.deadline()),
                   .lateness = seen.lateness().count(),
                   .missed = seen.missed(),
                   .tag = seen.tag(),
                   .stale = seen.stale()});
  spec_.broke.require(!of.made || seen.self() == of.handle, "firing::self() is the timer");
  walk_.running.push_back({this, id, walk_.me});
  bool throws = false;
  if (walk_.has_run_enough()) {
    spec_.broke.require(seen.self().cancel() == spec_.cancel(id), "cancel() in a callback");
  } else if (of.inside != nullptr) {
    perform_inside(id, &seen, throws);
  }
  walk_.running.pop_back();
  if (!walk_.broken()) spec_.end_run(id, walk_.me, throws);
  if (throws) throw 1;
}

// A coroutine has nothing to re-arm, and its exceptions are its own.
void world::perform_inside(timer_id id, firing* seen, bool& throws) {
  if (walk_.running.size() > deepest) return;
  for (const operation& step : *account_of(id).inside) {
    if (walk_.broken()) return;
    if (seen == nullptr && (step.what == action::rearm || step.what == action::raise)) continue;
    if (step.what == action::rearm && may_arm(id)) {
      const nanoseconds_t when = walk_.time_of(step.when), delay = spec::minus(when, walk_.now());
      if (step.after) {
        spec_.rearm(id, spec::after(walk_.now(), delay));
        seen->rearm_after(duration(delay));
      } else {
        spec_.rearm(id, when);
        seen->rearm_at(detail::to_time(when));
      }
    } else if (step.what == action::raise) {
      throws = true;
    } else {
      walk_.perform(step);
    }
  }
}

void world::destroyed(timer_id id) {
  account& of = account_of(id);
  ++of.destroyed;
  spec_.broke.require(of.destroyed == 1, "captures are destroyed once");
  if (walk_.broken()) return;
  walk_.look_at_clock();
  // A stale timer is dropped at its turn.
  if (timer_of(id).now == spec::phase::waiting && !timer_of(id).cancelled_by_group) walk_.turn(*this, id);
  spec_.captures_destroyed(id);
}

// --- Executors

bool world::execute(unsigned executor, fired_timer&& work) {
  walk_.look_at_clock();
  spec_.broke.require(work.tag() % tags_of_a_world - 1 < spec_.made(), "an executor is offered a timer with its tag");
  if (walk_.broken()) return true;
  // The timers of a bulk have one tag.
  timer_id id = static_cast<timer_id>(work.tag() % tags_of_a_world);
  for (timer_id each = id; each <= spec_.made() && timer_of(each).asked.tag == work.tag(); ++each) {
    if (spec_.may_have_turn(each)) id = each;
  }
  walk_.turn(*this, id);
  id = spec_.next_offer(executor, work.tag());
  spec_.broke.require(id != 0, "an executor is offered what does not wait");
  if (walk_.broken()) return true;
  spec_.offered(id, executor);
  check_offer(work, id);
  unsigned mode = held_mode_ == 3 ? ++offers_ % 3 : held_mode_;
  if (mode == 2 && walk_.has_refused_enough()) mode = 1;
  if (mode == 2) {
    spec_.refused(id);
    return false;
  }
  spec_.taken(id);
  const std::uint64_t ticket = spec_.ticket(id);
  if (mode == 1) {
    held_.push_back({std::move(work), id, ticket});
  } else {
    fired_timer now(std::move(work));
    run_ticket(now, id, ticket);
  }
  return true;
}

// "The timer's properties, for executors that choose by them." (fired_timer)
void world::check_offer(const fired_timer& work, timer_id id) {
  const spec::timer& of = timer_of(id);
  spec_.broke.require(work.lane() == of.asked.lane, "fired_timer::lane()");
  const label expected = of.asked.label == 0 ? label() : labels_[of.asked.label - 1];
  spec_.broke.require(work.label() == expected, "fired_timer::label()");
  if (of.cancelled_by_group) return;  // it has no deadline any more, and its group may be gone
  spec_.broke.require(detail::to_ns(work.deadline()) == spec_.deadline(id), "fired_timer::deadline()");
  const auto group =
      std::find_if(groups_.begin(), groups_.end(), [&](const group_pair& each) { return each.id == of.asked.group; });
  const void* const named = of.asked.group == spec::no_group ? nullptr : group->group->id();
  spec_.broke.require(work.group() == named, "fired_timer::group()");
}

void world::run_ticket(fired_timer& work, timer_id id, std::uint64_t ticket) {
  const bool runs = spec_.called(id, ticket);
  const std::uint64_t before = account_of(id).runs;
  work();
  if (walk_.broken()) return;
  spec_.broke.require((account_of(id).runs != before) == runs,
                      runs ? "a handed-over timer runs when it is called" : "a ticket that is not valid runs nothing");
}

void world::hand_back(bool runs) {
  for (std::deque<held_work> all = std::exchange(held_, {}); !all.empty() && !walk_.broken(); all.pop_front()) {
    held_work& first = all.front();
    if (runs) {
      run_ticket(first.work, first.id, first.ticket);
    } else {
      spec_.let_go(first.id, first.ticket, walk_.me);
      fired_timer dropped(std::move(first.work));
    }
  }
}

// --- The end

void world::check_end() {
  for (timer_id id = 1; id <= accounts_.size(); ++id) ask(id);
  compare_metrics();
  poll(SIZE_MAX);
}

void world::end() {
  groups_.clear();
  own_.reset();
}

void world::check_captures() {
  held_.clear();
  for (const ticker& each : tickers_) spec_.broke.require(each.frame->done(), "an interval goes on after stop()");
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).witnessed) spec_.broke.require(account_of(id).destroyed == 1, "captures are destroyed once");
  }
}

}  // namespace detent::poll_walks
