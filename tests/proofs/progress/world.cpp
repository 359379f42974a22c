// SPDX-License-Identifier: MIT
#include <proofs/progress/world.hpp>

#include <array>
#include <thread>

namespace progress {

using namespace std::chrono_literals;

bool keeping_executor::execute(detent::fired_timer&& work) noexcept {
  kept_.push_back(std::move(work));
  return true;
}

detent::fired_timer keeping_executor::take() {
  detent::fired_timer oldest = std::move(kept_.front());
  kept_.erase(kept_.begin());
  return oldest;
}

world& make_world(world::kind what) { return *new world(what); }

world::world(kind what) : what_(what) {
  detent::engine_options options{.drive = detent::drive_kind::caller, .manual = &clock_, .max_pending = what.capacity};
  options.reserve = 1024;
  options.capture_origin = what.capture_origin;
  options.record = what.record;
  if (what.executor || what.contested == state::dispatched)
    options.executor = executor_ = std::make_shared<keeping_executor>();
  engine_ = std::make_unique<detent::engine>(options);
  group_.emplace(*engine_);
  ending_.emplace(*engine_);
  label_ = engine_->make_label("one");
  wake_fd_ = engine_->wake_fd();
  ending_->schedule_at(far(), [held = std::make_shared<int>(0)] {});
  armed_ = engine_->schedule_at(far(), [] {});
  if (what.contested == state::queued) engine_->poll();
  contested_ = schedule_contested();
  if (what.contested == state::queued) return;
  engine_->poll();
  if (what.contested == state::armed) return;
  make_due();
  engine_->poll();
  if (what.contested == state::gone && executor_ != nullptr) executor_->take()();
}

template <class F>
detent::timer world::schedule_contested(F&& f) {
  if (what_.grouped) return group_->schedule_at(soon(), f);
  if (what_.labelled) return engine_->schedule_at(soon(), f, {.label = label_});
  return engine_->schedule_at(soon(), f);
}

detent::timer world::schedule_contested() {
  if (!what_.owning) return schedule_contested([this] { ++contested_runs_; });
  return schedule_contested([this, held = std::make_shared<int>(0)] { ++contested_runs_; });
}

void world::get_acquainted() {
  engine_->schedule_at(far(), [] {}).cancel();
}

void world::make_due() { clock_.advance(1s); }

void world::probe_calls() {
  probe_own_timers();
  probe_contested();
  probe_new_thread();
  probe_magazines();
  probe_group();
  probe_many();
  probe_reports();
  probe("now()", [this] { engine_->now(); });
}

void world::probe_own_timers() {
  detent::timer made;
  auto schedule = [&](const char* what, detent::time_point when) {
    probe(what, refill_budget, [&] { made = engine_->try_schedule_at(when, [] {}); });
  };
  schedule("schedule", far());
  probe("restart to a later time", [&] { made.restart_at(far() + 1s); });
  probe("restart to an earlier time", [&] { made.restart_at(soon() + 1s); });
  probe("handle's pending()", [&] { made.pending(); });
  probe("cancel of a queued timer", [&] { made.cancel(); });
  probe("cancel of one that has gone", [&] { made.cancel(); });
  schedule("schedule of the earliest", soon() - 1ms);
  probe("cancel_and_wait of a queued timer", [&] { made.cancel_and_wait(); });
  probe("schedule of a callable that owns something", refill_budget,
        [&] { made = engine_->try_schedule_at(far(), [held = std::make_shared<int>(0)] {}); });
  probe("cancel of it", [&] { made.cancel(); });
  probe("schedule of a periodic timer", refill_budget,
        [&] { made = engine_->try_schedule_at_fixed_rate(1h, 1h, [] {}); });
  probe("cancel of it", [&] { made.cancel(); });
  probe("restart of an armed timer, earlier", [&] { armed_.restart_at(far() - 1s); });
  probe("restart of an armed timer, later", [&] { armed_.restart_at(far() + 1s); });
  probe("cancel of an armed timer", [&] { armed_.cancel(); });
}

void world::probe_contested() {
  probe("pending() of the victim's timer", [&] { contested_.pending(); });
  if (what_.cancelled) {
    probe("cancel of the victim's timer",
          [&] { contested_cancelled_ = contested_.cancel() == detent::cancel_result::cancelled; });
    return;
  }
  probe("restart of the victim's timer, later", [&] { contested_.restart_at(soon() + 1s); });
  probe("restart of the victim's timer, earlier", [&] { contested_.restart_at(soon()); });
}

void world::probe_new_thread() {
  std::thread other([&] {
    detent::timer made;
    probe("a thread's first call, a schedule", refill_budget, [&] { made = engine_->try_schedule_at(far(), [] {}); });
    probe("cancel by a new thread", [&] { made.cancel(); });
    hooks::allow(call_budget, "the end of a thread");
  });
  other.join();
}

// Enough to empty and to fill the magazines of a thread, so that they travel through the depot.
void world::probe_magazines() {
  constexpr int enough = 3 * 256;
  for (int i = 0; i < enough; ++i)
    probe("schedule that refills from the depot", refill_budget,
          [this] { pending_.push_back(engine_->try_schedule_at(far(), [] {})); });
  for (detent::timer& each : pending_) probe("cancel that fills the depot", [&each] { each.cancel(); });
  pending_.clear();
}

// A stopped engine refuses, by what it throws.
void or_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const detent::error& refused) {
    require(refused.code() == detent::errc::stopped, "refused, and not as the engine was stopped");
  }
}

// The engine's other group is the victim's, too.
void world::probe_group() {
  detent::timer member;
  for (detent::timer_group* group : {&*group_, &*ending_}) {
    probe("schedule into a group", refill_budget, [&] { member = group->try_schedule_at(far(), [] {}); });
    probe("cancel of a member", [&] { member.cancel(); });
    probe("pause of a group", [&] { group->pause(); });
    probe("resume of a group", [&] { group->resume(); });
    probe("pending() of a group", [&] { group->pending(); });
  }
  probe("cancel_all", [&] { ending_->cancel_all(); });
}

void world::probe_many() {
  const std::array<detent::time_point, 8> deadlines{far(), far(), far(), far(), far(), far(), far(), far()};
  std::array<detent::timer, 8> made;
  probe("schedule_at_bulk", refill_budget, [&] {
    or_refused([&] {
      engine_->schedule_at_bulk(
          deadlines, [](std::size_t) {}, made);
    });
  });
  probe("cancel_bulk", refill_budget, [&] { engine_->cancel_bulk(made); });
}

void world::probe_reports() {
  probe("pending()", [this] { engine_->pending(); });
  probe("metrics()", metrics_budget, [this] { engine_->metrics(); });
  probe("metrics(label)", metrics_budget, [this] { engine_->metrics(label_); });
  probe("list_pending()", list_budget, [this] { engine_->list_pending(); });
}

void world::probe_firing() {
  int runs = 0;
  detent::timer made;
  probe("schedule", refill_budget, [&] { made = engine_->try_schedule_at(soon(), [&runs] { ++runs; }); });
  bool moved = false;
  probe("restart of the victim's timer", [&] { moved = contested_.restart_at(soon()); });
  require(!moved || !contested_cancelled_, "a timer that was cancelled has been restarted");
  probe("end of a group", [this] { ending_.reset(); });
  int before = contested_runs_;
  make_due();
  probe("poll()", poll_budget, [this] { engine_->poll(); });
  if (executor_ != nullptr) {
    probe("what the executor was given", poll_budget, [this] {
      while (executor_->size() != 0) executor_->take()();
    });
  }
  require(!made || runs == 1, "a timer that another thread scheduled has not fired");
  require(!moved || contested_runs_ == before + 1, "a timer that another thread restarted has not fired");
  require(!contested_cancelled_ || contested_runs_ == before, "a timer that another thread cancelled has fired");
  std::uint64_t fired = 0;
  probe("poll() with nothing to do", poll_budget, [&] { fired = engine_->poll(); });
  require(fired == 0, "something fired twice");
  detent::cancel_result cancelled{};
  probe("cancel of the victim's timer", [&] { cancelled = contested_.cancel(); });
  probe("next_deadline()", poll_budget, [this] { engine_->next_deadline(); });
}

void world::probe_refused_poll() {
  bool refused = false;
  probe("poll() while another thread is inside", poll_budget, [&] {
    try {
      engine_->poll();
    } catch (const detent::error&) {
      refused = true;
    }
  });
  require(refused, "poll() while another thread is inside was not refused");
}

}  // namespace progress
