// SPDX-License-Identifier: MIT
// The course of a world: which step comes, on which thread, and what is checked after each.
#include "world.hpp"

#include "failure.hpp"

#include <algorithm>
#include <utility>

namespace detent::sim {
namespace {

class wayward_executor final : public executor {
 public:
  explicit wayward_executor(world& in) noexcept : in_(in) {}
  bool execute(fired_timer&& work) noexcept override { return in_.execute(std::move(work)); }

 private:
  world& in_;
};

world_habits habits_of(const script& plays) {
  test::splitmix random(plays.seed, 0);
  return draw_world(random, plays.steps);
}

}  // namespace

world::world(const script& plays, event_log& log)
    : script_(plays),
      log_(log),
      habits_(habits_of(plays)),
      crew_(habits_.threads),
      clock_(time_point(duration(habits_.start))),
      executor_(std::make_shared<wayward_executor>(*this)) {}

world::~world() = default;

void world::play() {
  std::uint64_t step_number = 1;
  random_ = test::splitmix(script_.seed, step_number);
  open_engine();
  for (; step_number <= habits_.steps; ++step_number) {
    if (script_.without.contains(step_number)) continue;
    announce_step(step_number);
    log_.begin_step(step_number);
    random_ = test::splitmix(script_.seed, step_number);
    step();
    check_rest();
  }
  announce_step(step_number);
  log_.begin_step(step_number);
  come_to_rest();
}

void world::step() {
  if (!engine_) return open_engine();
  if (stopped_ && random_.one_in(8)) return close_engine();
  step_by_choice();
}

void world::step_by_choice() {
  const std::uint64_t choice = random_.below(100);
  if (choice < 30) return on_some_thread([this] { schedule(); });
  if (choice < 44) return on_some_thread([this] { restart(*draw_timer(true)); });
  if (choice < 55) return on_some_thread([this] { cancel(*draw_timer(true)); });
  if (choice < 58) return on_some_thread([this] { look_at(*draw_timer(false)); });
  if (choice < 61) return on_some_thread([this] { ask_next_deadline(); });
  if (choice < 82) {
    move_clock();
    return on_some_thread([this] { poll(); });
  }
  if (choice < 85) return on_some_thread([this] { poll(); });  // a spurious wake-up
  if (choice < 88) return move_clock();                        // a stall
  if (choice < 93) return on_some_thread([this] { play_with_held(); });
  if (choice < 95) return on_some_thread([this] { churn(1 + random_.below(random_.one_in(8) ? 700 : 40)); });
  if (choice < 96) return replace_thread();
  if (choice < 97) return on_some_thread([this] { play_with_unfired(); });
  if (choice < 98) return on_some_thread([this] { move_engine(); });
  if (!random_.one_in(4)) return on_some_thread([this] { schedule(); });
  if (choice < 99) return on_some_thread([this] { stop_engine(); });
  on_some_thread([this] { close_engine(); });
}

// One that can be called now; often the calling one.
void world::on_some_thread(const std::function<void()>& work) {
  const auto number = static_cast<unsigned>(random_.below(crew_.size()));
  if (crew_.waits(number)) return work();
  // The thread that polls may stand in for its record by the spare one, for which this one would wait for ever.
  if (number != crew_.me() && !running_.empty()) allocations::calm();
  log_.note("on thread", {number});
  crew_.run(number, work);
}

bool world::plan_fault() {
  if (resting_ || allocations::planned() || !random_.percent(habits_.fault_percent)) return false;
  if (!running_.empty() && running_.back().thread != crew_.me()) return false;
  if (in_pass_) {
    // What cannot be put in its place fires in the next pass.
    if (made_with_.has_executor) return false;
    faulty_pass_ = true;
    spec_->lack_memory();
  }
  const auto granted = static_cast<std::uint64_t>(random_.magnitude(3));
  allocations::plan_refusals(granted, random_.one_in(2) ? 1 : UINT64_MAX);
  return true;
}

spec::thread_id world::armer(bool faulty) {
  const spec::thread_id me = my_identity();
  // A poll() that began without memory goes on with the record it began with.
  const bool stands_in = in_pass_ && faulty_pass_ && pass_thread_ == crew_.me();
  if (!faulty && !stands_in) established_.insert(me);
  if (established_.contains(me)) return me;
  return unknown_thread();  // without a record of its own, for want of memory
}

spec::thread_id world::unknown_thread() { return UINT32_MAX - ++unknown_threads_; }

bool world::all_inside_me() const noexcept {
  const unsigned me = crew_.me();
  if (in_pass_ && pass_thread_ != me) return false;
  return std::all_of(running_.begin(), running_.end(), [me](const running& each) { return each.thread == me; });
}

void world::check_rest() {
  allocations::calm();
  expect(running_.empty() && !in_pass_, "a callback has not come back");
  if (!engine_) return;
  check_specified();
  expect_equal(engine_->pending(), known().pending(), "pending()");
  expect(engine_->stopped() == stopped_, "stopped()");
  expect(engine_->now() == clock_.now(), "engine::now()");
  if (!of_epoch_.empty()) look_at(*draw_timer(false));
  check_counts();
  check_wake_fd();
}

void world::check_specified() {
  if (!known().broke.kept()) fail(known().broke.broken().c_str());
}

const spec::timer* world::known_of(const account& timer) const {
  return timer.epoch == epoch_ && timer.specified != 0 ? &known().at(timer.specified) : nullptr;
}

bool world::is_pending(const account& timer) const {
  const spec::timer* const of = known_of(timer);
  return of != nullptr && (of->now == spec::phase::waiting || of->now == spec::phase::handed);
}

account& world::make_account() {
  account& made = accounts_.emplace_back();
  made.id = static_cast<timer_id>(accounts_.size());
  made.epoch = epoch_;
  return made;
}

void world::scheduled(account& timer, const spec::plan& asked, bool faulty) {
  timer.specified = spec_->schedule(asked, armer(faulty)).id;
  of_epoch_.push_back(timer.id);
  if (timer.boxed) ++boxed_;
}

void world::check_counts() {
  const engine_metrics seen = engine_->metrics();
  const spec::counts due = known().metrics();
  expect_equal(seen.scheduled, due.scheduled, "metrics: scheduled");
  expect_equal(seen.expired, due.expired, "metrics: expired");
  expect_equal(seen.cancelled, due.cancelled, "metrics: cancelled");
  expect_equal(seen.returned, due.returned, "metrics: returned");
  expect_equal(seen.dropped, due.dropped, "metrics: dropped");
  expect_equal(seen.fired, due.fired, "metrics: fired");
  expect_equal(seen.restarted, due.restarted, "metrics: restarted");
  expect_equal(seen.refused, due.refused, "metrics: refused");
  expect_equal(seen.failed, due.failed, "metrics: failed");
  expect_equal(seen.missed, due.missed, "metrics: missed");
  expect_equal(seen.boxed, boxed_, "metrics: boxed");
  expect_equal(seen.pending, due.pending, "metrics: pending");
  expect_equal(seen.scheduled, seen.expired + seen.cancelled + seen.returned + seen.dropped + seen.pending,
               "metrics: scheduled is not the sum of the ends and what is pending");
  expect_equal(seen.lateness.count(), seen.fired, "metrics: lateness counts something else than the runs");
  expect_equal(errors_reported_, due.failed, "on_error was not called once for each throw");
}

}  // namespace detent::sim
