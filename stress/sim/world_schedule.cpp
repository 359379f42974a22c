// SPDX-License-Identifier: MIT
// Schedule calls: of every form, with every kind of callable, refused for every reason.
#include "failure.hpp"
#include "world.hpp"

#include <array>
#include <new>

namespace detent::sim {

nanoseconds_t world::draw_delay() {
  const nanoseconds_t tick = made_with_.options.tick.count();
  if (random_.percent(habits_.tie_percent)) return static_cast<nanoseconds_t>(random_.below(5)) * tick;
  if (random_.percent(habits_.edge_percent)) {
    // About the borders of slots: powers of 64 units, seen from the clock's zero.
    const nanoseconds_t span = nanoseconds_t{1} << (6 * random_.below(8) + random_.below(2));
    const nanoseconds_t border = plus(now() / span * span, span);
    return plus(minus(border, now()), static_cast<nanoseconds_t>(random_.below(3)) - 1);
  }
  if (habits_.far_deadlines && random_.one_in(20)) return end_of_time;
  if (random_.one_in(20)) return -random_.magnitude(40);
  return random_.magnitude(habits_.delay_bits);
}

nanoseconds_t world::draw_deadline() {
  // Often one that is taken, to the nanosecond or to the tick.
  if (!of_epoch_.empty() && random_.percent(habits_.tie_percent / 2))
    return minus(last_deadline(*draw_timer(true)),
                 random_.one_in(2) ? 0 : static_cast<nanoseconds_t>(random_.below(2)));
  return plus(now(), draw_delay());
}

request world::draw_request() {
  request drawn;
  drawn.kind = static_cast<callable_kind>(random_.below(5));
  drawn.throws = random_.one_in(2) || drawn.kind == callable_kind::fragile;
  drawn.breaks = drawn.kind == callable_kind::fragile && random_.one_in(3);
  if (random_.percent(habits_.periodic_percent)) {
    drawn.repeats = random_.one_in(3) ? repetition::fixed_delay : repetition::fixed_rate;
    drawn.when = draw_delay();
    drawn.period = 1 + random_.magnitude(habits_.delay_bits);
    if (random_.one_in(30)) drawn.period = -static_cast<nanoseconds_t>(random_.below(2));
    drawn.periodic = {.missed = random_.pick(std::array{missed_ticks::skip, missed_ticks::burst, missed_ticks::delay}),
                      .runs = random_.one_in(2) ? 0 : 1 + random_.below(4)};
    return drawn;
  }
  drawn.after = random_.one_in(2);
  drawn.when = drawn.after ? draw_delay() : draw_deadline();
  if (random_.one_in(5)) {
    drawn.once.max_lateness = duration(random_.one_in(4) ? 0 : random_.magnitude(habits_.delay_bits));
    // One that is dropped in silence would leave its turn in the dark.
    drawn.once.stale = is_witnessed(drawn.kind) && random_.one_in(2) ? stale_policy::drop : stale_policy::run;
  }
  return drawn;
}

template <class F>
world::outcome world::call_with(F&& callable, const request& asked) {
  outcome came;
  const duration when(asked.when), period(asked.period);
  try {
    allocations::engine_call scope;
    if (asked.repeats == repetition::fixed_rate && asked.throws) {
      came.handle = engine_->schedule_at_fixed_rate(when, period, std::forward<F>(callable), asked.periodic);
    } else if (asked.repeats == repetition::fixed_rate) {
      came.handle = engine_->try_schedule_at_fixed_rate(when, period, std::forward<F>(callable), asked.periodic);
    } else if (asked.repeats == repetition::fixed_delay && asked.throws) {
      came.handle = engine_->schedule_with_fixed_delay(when, period, std::forward<F>(callable), asked.periodic);
    } else if (asked.repeats == repetition::fixed_delay) {
      came.handle = engine_->try_schedule_with_fixed_delay(when, period, std::forward<F>(callable), asked.periodic);
    } else if (asked.after && asked.throws) {
      came.handle = engine_->schedule_after(when, std::forward<F>(callable), asked.once);
    } else if (asked.after) {
      came.handle = engine_->try_schedule_after(when, std::forward<F>(callable), asked.once);
    } else if (asked.throws) {
      came.handle = engine_->schedule_at(time_point(when), std::forward<F>(callable), asked.once);
    } else {
      came.handle = engine_->try_schedule_at(time_point(when), std::forward<F>(callable), asked.once);
    }
  } catch (const error& refusal) {
    came.problem = static_cast<errc>(refusal.code().value());
  } catch (const copy_failed&) {
    came.copy_threw = true;
  } catch (const std::bad_alloc&) {
    came.out_of_memory = true;  // not even for the text of the error
  }
  return came;
}

world::outcome world::call_schedule(const account& timer, const request& asked) {
  const timer_id id = timer.id;
  switch (asked.kind) {
    case callable_kind::packed: return call_with(packed_callable{this, id}, asked);
    case callable_kind::blind: return call_with(blind_callable{this, id}, asked);
    case callable_kind::owning: return call_with(owning_callable{witness(*this, id)}, asked);
    case callable_kind::boxed: return call_with(boxed_callable{witness(*this, id)}, asked);
    case callable_kind::fragile: break;
  }
  return call_with(fragile_callable(witness(*this, id), asked.breaks), asked);
}

void world::schedule() {
  if (known().pending() > habits_.crowd && !random_.one_in(4)) return;
  const request asked = draw_request();
  account& timer = make_account();
  timer.witnessed = is_witnessed(asked.kind);
  timer.boxed = is_boxed(asked.kind);
  if (random_.one_in(6) && timer.witnessed && !of_epoch_.empty()) timer.owns = draw_timer(true)->id;
  const std::set<errc> foreseen = known().reasons_against(plan_of(asked));
  const bool planned = plan_fault();
  const std::uint64_t refusals = allocations::refusals();
  const outcome came = call_schedule(timer, asked);
  const bool refused = allocations::refusals() != refusals;
  if (planned) allocations::calm();
  log_.note("schedule",
            {timer.id, static_cast<std::int64_t>(asked.kind), static_cast<std::int64_t>(asked.repeats), asked.when,
             asked.period, asked.after, came.handle ? 1 : 0, static_cast<std::int64_t>(came.problem), refused});
  if (!came.handle) return check_refusal(timer, asked, came, foreseen, refused);
  expect(foreseen.empty(), "schedule took what it had to refuse");
  expect(!asked.breaks, "a callable was taken though its move threw");
  expect(!timer.destroyed, "a scheduled callable was destroyed");
  expect(handles_.insert(came.handle).second, "a new timer has the handle of an older one");
  timer.handle = came.handle;
  scheduled(timer, plan_of(asked), refused);
}

spec::plan world::plan_of(const request& asked) const {
  const bool after = asked.repeats != repetition::once || asked.after;
  return {.when = !after            ? asked.when
                  : asked.when <= 0 ? now()
                                    : plus(now(), asked.when),
          .repeats = asked.repeats,
          .period = asked.period,
          .missed = asked.periodic.missed,
          .runs = asked.periodic.runs,
          .max_lateness = asked.once.max_lateness.count(),
          .stale = asked.once.stale};
}

void world::check_refusal(const account& timer, const request& asked, const outcome& came,
                          const std::set<errc>& foreseen, bool refused) {
  expect(!timer.witnessed || timer.destroyed, "a refused schedule call left its callable somewhere");
  if (!foreseen.empty()) {
    expect(!asked.throws || foreseen.contains(came.problem) || came.out_of_memory,
           "schedule refused for another reason");
    expect(!came.out_of_memory || refused, "schedule threw bad_alloc, though memory was there");
    return;
  }
  if (asked.breaks) return expect(came.copy_threw || refused, "a callable's exception did not come through");
  expect(refused, "schedule refused without a reason");
  expect(!asked.throws || came.out_of_memory || came.problem == errc::out_of_memory, "memory refused: another error");
}

}  // namespace detent::sim
