// SPDX-License-Identifier: MIT
// The drive: the clock's jumps, poll() on whichever thread, the next deadline and the descriptor.
#include "failure.hpp"
#include "world.hpp"

#include <poll.h>

#include <algorithm>

namespace detent::sim {

void world::move_clock() {
  const nanoseconds_t next = known().next_deadline().value_or(now());
  const bool late_in_life = now() > (nanoseconds_t{1} << 61);
  nanoseconds_t target = now();
  switch (random_.below(7)) {
    case 0: target = minus(next, 1); break;
    case 1:
    case 2: target = next; break;
    case 3: target = plus(now(), made_with_.options.tick.count()); break;
    case 4: target = plus(now(), random_.magnitude(habits_.delay_bits)); break;
    case 5: target = plus(now(), random_.magnitude(late_in_life ? 20 : 46)); break;
    default: target = minus(now(), 1 + random_.magnitude(40));  // a clock does not go back
  }
  if (late_in_life && target > (nanoseconds_t{3} << 61)) return;  // the end of time comes at the end
  const nanoseconds_t step = minus(target, now());
  const bool by_step = random_.one_in(2);
  const nanoseconds_t foreseen = std::max(by_step ? plus(now(), step) : target, now());
  if (by_step) {
    clock_.advance(duration(step));
  } else {
    clock_.advance_to(time_point(duration(target)));
  }
  spec_->move_to(now());
  log_.note("clock", {foreseen});
  expect_equal(now(), foreseen, "manual_clock");
}

void world::poll() {
  if (!alive()) return;
  if (in_pass_) return poll_refused(pass_thread_ == crew_.me() ? errc::called_from_callback : errc::not_permitted);
  if (running_.size() > 2) return;
  const std::size_t most = !resting_ && random_.one_in(4) ? random_.below(6) : SIZE_MAX;
  const bool faulty = plan_fault();
  if (!faulty) established_.insert(my_identity());
  spec_->begin_pass({.how = spec::drive::poll, .by = my_identity(), .now = now(), .most = most});
  if (faulty) spec_->lack_memory();
  in_pass_ = true;
  faulty_pass_ = faulty;
  pass_thread_ = crew_.me();
  log_.note("poll", {now(), static_cast<std::int64_t>(most), faulty});
  std::size_t ran = 0;
  {
    allocations::engine_call scope;
    ran = engine_->poll(most);
  }
  if (faulty) allocations::calm();
  in_pass_ = false;
  expect(running_work_ == 0 && !turn_unknown_, "a refused timer was not run");
  faulty_pass_ = false;
  spec_->end_pass(ran);
  log_.note("polled", {static_cast<std::int64_t>(ran)});
  check_specified();
  announced_at_ = now();
}

void world::poll_refused(errc why) {
  try {
    allocations::engine_call scope;
    engine_->poll();
  } catch (const error& refusal) {
    return expect(refusal.code() == why, "poll() inside poll(): another error");
  } catch (const std::bad_alloc&) {
    return expect(faulty_pass_, "poll() inside poll(): no memory");
  }
  fail("poll() inside poll() was not refused");
}

void world::ask_next_deadline() {
  if (!alive() || in_pass_) return;
  const bool planned = plan_fault();
  std::optional<time_point> seen;
  {
    allocations::engine_call scope;
    seen = engine_->next_deadline();
  }
  if (planned) allocations::calm();
  const nanoseconds_t reported = seen ? seen->time_since_epoch().count() : end_of_time;
  log_.note("next deadline", {seen.has_value(), reported});
  announced_at_ = now();
  if (stopped_) return expect(!seen, "a stopped engine has a next deadline");
  spec_->answered_next_deadline(seen ? std::optional(reported) : std::nullopt);
  check_specified();
}

// Readable when something is due that the last poll, at this very time, did not end.
void world::check_wake_fd() {
  if (wake_fd_ < 0 || stopped_ || announced_at_ != now()) return;
  const auto next = known().next_deadline();
  if (!next || *next > now()) return;
  pollfd asked{wake_fd_, POLLIN, 0};
  expect(::poll(&asked, 1, 0) == 1, "wake_fd() is not readable, though something is due");
}

}  // namespace detent::sim
