// SPDX-License-Identifier: MIT
// Beginnings and ends: of engines, of threads, of the world.
#include "failure.hpp"
#include "world.hpp"

#include <map>
#include <new>
#include <utility>

namespace detent::sim {

void world::open_engine() {
  made_with_ = draw_engine(random_);
  engine_options options = made_with_.options;
  options.manual = &clock_;
  if (made_with_.has_executor) options.executor = executor_;
  options.on_error = [this](const std::exception_ptr&) {
    allocations::own_code scope;
    ++errors_reported_;
  };
  ++epoch_;
  spec_.emplace(spec::settings{.tick = options.tick.count(),
                               .start = now(),
                               .capacity = options.capacity,
                               .on_refusal = options.on_refusal,
                               .executors = {{.is_inline = !made_with_.has_executor}}});
  of_epoch_.clear();
  handles_.clear();
  established_.clear();
  errors_reported_ = boxed_ = 0;
  wake_fd_ = -1;
  stopped_ = false;
  log_.note("engine", {static_cast<std::int64_t>(options.wheel), options.tick.count(),
                       static_cast<std::int64_t>(options.capacity), made_with_.has_executor,
                       static_cast<std::int64_t>(options.on_refusal)});
  if (random_.percent(habits_.fault_percent)) open_without_memory(options);
  allocations::engine_call scope;
  engine_ = std::make_unique<engine>(options);
}

// It says why, and leaves nothing.
void world::open_without_memory(const engine_options& options) {
  const allocations::holding before = allocations::held();
  allocations::plan_refusals(random_.below(24), random_.one_in(2) ? 1 : UINT64_MAX);
  const std::uint64_t refusals = allocations::refusals();
  bool made = false;
  try {
    allocations::engine_call scope;
    engine_options asked = options;
    engine made_all_the_same(std::move(asked));
    made = true;
  } catch (const error& refusal) {
    expect(refusal.code() == errc::out_of_memory, "an engine without memory: another error");
  } catch (const std::bad_alloc&) {
    made = false;  // not even for the text of the error
  }
  const bool refused = allocations::refusals() != refusals;
  allocations::calm();
  log_.note("no memory", {made, refused});
  expect(made || refused, "an engine could not be made, though memory was there");
  if (made) return;
  const allocations::holding after = allocations::held();
  expect_equal(after.pieces, before.pieces, "an engine that was not made left memory");
  expect_equal(after.mapped_bytes, before.mapped_bytes, "an engine that was not made left a mapping");
}

void world::stop_engine() {
  if (!alive()) return;
  if (!running_.empty()) return stop_inside();
  std::map<timer, std::pair<timer_id, nanoseconds_t>> due;
  for (const auto& [specified, each] : spec_->stop()) {
    const account& timer = accounts_[of_epoch_[specified - 1] - 1];
    due[timer.handle] = {timer.id, each.deadline};
  }
  const bool planned = plan_fault();
  const std::uint64_t refusals = allocations::refusals();
  std::vector<unfired> given;
  bool failed = false;
  closing_ = true;
  try {
    allocations::engine_call scope;
    given = engine_->stop();
  } catch (const error& refusal) {
    failed = true;
    expect(refusal.code() == errc::out_of_memory, "stop(): another error");
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  closing_ = false;
  const bool refused = allocations::refusals() != refusals;
  if (planned) allocations::calm();
  log_.note("stop", {static_cast<std::int64_t>(given.size()), failed});
  expect(!failed || refused, "stop() failed though memory was there");
  if (!failed) expect_equal(given.size(), due.size(), "stop() gave back another number of timers");
  for (unfired& each : given) {
    const auto found = due.find(each.handle);
    if (found == due.end()) fail("stop() gave back a timer that had ended, or twice");
    const auto [id, deadline] = found->second;
    expect_equal(each.deadline.time_since_epoch().count(), deadline, "unfired::deadline");
    left_.push_back({std::move(each), id, deadline});
    due.erase(found);
  }
  for (const auto& [handle, left] : due) {  // without memory: destroyed unrun
    const account& timer = accounts_[left.first - 1];
    expect(!timer.witnessed || timer.destroyed, "stop() without memory left a callable");
  }
  stopped_ = true;
}

// From one of its callbacks.
void world::stop_inside() {
  if (!alive() || running_.empty() || running_.back().thread != crew_.me()) return;
  std::error_code problem;
  allocations::engine_call scope;
  const std::vector<unfired> given = engine_->try_stop(problem);
  expect(problem == errc::called_from_callback && given.empty(), "stop() from a callback was not refused");
}

// Also from inside a callback, and with work in the executor's hands.
void world::close_engine() {
  if (!alive() || !all_inside_me()) return;
  log_.note("close", {static_cast<std::int64_t>(running_.size())});
  const bool planned = plan_fault();
  closing_ = true;
  if (!stopped_) spec_->stop();
  {
    allocations::engine_call scope;
    engine_.reset();
  }
  closing_ = false;
  if (planned) allocations::calm();
  for (timer_id id : of_epoch_) {
    const account& timer = accounts_[id - 1];
    const spec::timer& known = *known_of(timer);
    const bool was_left = known.how == spec::ending::returned && stopped_;
    if (known.now == spec::phase::ended && timer.witnessed && !was_left)
      expect(timer.destroyed, "~engine left a callable behind");
  }
  wake_fd_ = -1;
}

void world::play_with_unfired() {
  if (left_.empty() || running_unfired_ != nullptr) return;
  const auto at = static_cast<std::ptrdiff_t>(random_.below(left_.size()));
  left_over taken = std::move(left_[static_cast<std::size_t>(at)]);
  left_.erase(left_.begin() + at);
  const account& timer = accounts_[taken.id - 1];
  if (random_.one_in(3)) return;  // destroyed unrun
  running_unfired_ = &taken;
  try {
    allocations::engine_call scope;
    taken.work.run();
  } catch (const std::runtime_error&) {
    log_.note("unfired threw");
  }
  running_unfired_ = nullptr;
  expect(!timer.witnessed || timer.destroyed, "an `unfired` ran and kept its captures");
}

void world::move_engine() {
  if (!alive() || !running_.empty()) return;
  if (wake_fd_ < 0 && !stopped_ && random_.one_in(2)) {
    allocations::engine_call scope;
    wake_fd_ = engine_->wake_fd();
    announced_at_ = now();
  }
  auto moved = std::make_unique<engine>(std::move(*engine_));
  engine_ = std::move(moved);
}

void world::replace_thread() {
  if (crew_.size() == 1) return;
  const auto number = 1 + static_cast<unsigned>(random_.below(crew_.size() - 1));
  log_.note("thread ends", {number});
  crew_.replace(number);
}

// The faults stop: what is armed fires in order, each in its time, and in a bounded number of polls.
void world::come_to_rest() {
  resting_ = true;
  log_.note("rest", {static_cast<std::int64_t>(known().pending())});
  std::uint64_t bound = 64;
  if (alive() && !stopped_) {
    for (timer_id id : of_epoch_) {
      account& timer = accounts_[id - 1];
      const spec::timer& known = *known_of(timer);
      if (known.periodic() && known.runs_left == 0) cancel(timer);
      if (is_pending(timer)) bound += 24 * (1 + known.runs_left);
    }
    while (!held_.empty()) play_with_held();
    for (; known().pending() != 0; --bound) {
      if (bound == 0) fail("what is armed does not fire", std::to_string(known().pending()) + " left");
      const std::optional<time_point> next = engine_->next_deadline();
      if (!next) fail("next_deadline() forgets what is pending");
      const nanoseconds_t reported = next->time_since_epoch().count();
      log_.note("next deadline", {reported, known().next_deadline().value_or(end_of_time)});
      spec_->answered_next_deadline(reported);
      check_specified();
      clock_.advance_to(*next);
      spec_->move_to(now());
      poll();
    }
    check_rest();
  }
  if (alive()) close_engine();
  while (!held_.empty()) play_with_held();
  left_.clear();
  for (const account& each : accounts_) {
    if (each.witnessed && !each.destroyed) fail("a callable was never destroyed", std::to_string(each.id));
  }
}

}  // namespace detent::sim
