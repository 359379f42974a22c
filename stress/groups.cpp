// SPDX-License-Identifier: MIT
// Groups that are cancelled, paused, resumed, ended and moved by some threads while others fill them, and use the
// handles of their members. The ledger: every member ends in one way, none runs early, none runs or is inside a run
// once a cancel_all_and_wait() that came after it has returned, and no capture is left.
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/runner.hpp"

#include <detent/detent.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

// What a round counts, beside the engine's own.
struct totals {
  std::atomic<std::uint64_t> operations{0}, scheduled{0}, runs{0}, living{0};
};

// One capture of a member; counts its end.
class resident {
 public:
  explicit resident(totals& of) noexcept : of_(&of) { ++of_->living; }
  resident(resident&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  resident& operator=(resident&&) = delete;
  ~resident() {
    if (of_ != nullptr) --of_->living;
  }
  totals& of() const noexcept { return *of_; }

 private:
  totals* of_;  // null once moved from
};

// A group that all threads share, and whom its members belong to. While an era is closed, nothing of it may run.
struct shared_group {
  explicit shared_group(detent::engine& engine) : group(engine) {}
  std::shared_mutex scheduling;  // closing an era waits for the calls that schedule into it
  detent::timer_group group;
  std::atomic<std::uint64_t> era{0};
  std::atomic<std::uint64_t> closed{0};  // eras before this one
};

struct member {
  resident here;
  shared_group* of;
  std::uint64_t era;
  void operator()(detent::firing& run) const {
    ++here.of().runs;
    require(run.lateness() >= 0ns, "a member ran before its deadline");
    require(era >= of->closed, "a member ran after cancel_all_and_wait() had returned");
    if (run.deadline().time_since_epoch().count() % 8 == 0) run.rearm_after(20us);
    require(era >= of->closed, "cancel_all_and_wait() returned during a run");
  }
};

class player {
 public:
  player(detent::engine& engine, std::array<std::unique_ptr<shared_group>, 3>& groups, totals& counts,
         random_numbers& random)
      : engine_(engine), groups_(groups), counts_(counts), random_(random) {}

  void step() {
    shared_group& any = *groups_[random_.below(groups_.size())];
    switch (random_.below(24)) {
      case 0: any.group.pause(); break;
      case 1:
      case 2: any.group.resume(); break;
      case 3: any.group.cancel_all(); break;
      case 4: close(any); break;
      case 5: live_briefly(); break;
      case 6:
      case 7:
      case 8:
      case 9: use_handle(); break;
      case 10: static_cast<void>(any.group.pending()); break;
      default: schedule_in(any);
    }
    ++counts_.operations;
  }

 private:
  void remember(const detent::timer& made) {
    require(static_cast<bool>(made), "an engine that runs refuses a member");
    ++counts_.scheduled;
    handles_[next_++ % handles_.size()] = made;
  }

  void schedule_in(shared_group& at) {
    std::shared_lock lock(at.scheduling);
    member callback{resident(counts_), &at, at.era};
    const detent::duration delay = random_delay(random_) / 4;
    if (random_.one_in(4)) {
      remember(at.group.schedule_at_fixed_rate(delay, 1us + random_delay(random_) / 4, std::move(callback),
                                               {.runs = 1 + random_.below(20)}));
    } else {
      const auto lane = static_cast<std::uint8_t>(random_.one_in(4) ? random_.below(4) : 0);
      remember(at.group.schedule_after(delay, std::move(callback),
                                       {.slack = detent::duration(random_.below(3) * 1000), .lane = lane}));
    }
  }

  // Nothing of this era runs any more; captures may still live until the worker comes by.
  void close(shared_group& at) {
    std::unique_lock lock(at.scheduling);
    const std::uint64_t next = ++at.era;
    at.group.cancel_all_and_wait();
    at.closed = next;
  }

  // A group of this thread's own, whose members' handles others do not see and this one keeps.
  void live_briefly() {
    auto mine = std::make_unique<detent::timer_group>(engine_);
    for (std::uint64_t i = random_.below(6); i != 0; --i) {
      remember(mine->schedule_after(random_delay(random_) / 64, [here = resident(counts_)] { ++here.of().runs; }));
    }
    if (random_.one_in(3)) mine->pause();
    if (random_.one_in(3)) use_handle();
    if (random_.one_in(3)) {
      detent::timer_group moved(std::move(*mine));
      mine.reset();
      if (random_.one_in(2)) moved.resume();
    }
  }

  void use_handle() {
    detent::timer& any = handles_[random_.below(handles_.size())];
    switch (random_.below(4)) {
      case 0: any.cancel(); break;
      case 1: any.cancel_and_wait(); break;
      case 2: static_cast<void>(any.pending()); break;
      default: any.restart_after(random_delay(random_) / 4);
    }
  }

  detent::engine& engine_;
  std::array<std::unique_ptr<shared_group>, 3>& groups_;
  totals& counts_;
  random_numbers& random_;
  std::array<detent::timer, 64> handles_{};
  std::size_t next_ = 0;
};

// Resumed, each member ends; cancelled, at once.
void await_ends(const std::array<std::unique_ptr<shared_group>, 3>& groups, random_numbers& random) {
  for (const auto& each : groups) random.one_in(2) ? each->group.cancel_all() : each->group.resume();
  const auto begin = detent::clock::now();
  for (const auto& each : groups) {
    for (bool cancelled = false; each->group.pending() != 0;) {
      const auto waited = detent::clock::now() - begin;
      require(waited < 1min, "a member neither runs nor ends");
      if (waited > 20ms && !std::exchange(cancelled, true)) each->group.cancel_all();  // those that re-arm themselves
      std::this_thread::yield();
    }
  }
}

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  totals counts;
  detent::engine_metrics reported;
  std::uint64_t returned = 0;
  {
    detent::engine engine(random_options(random));
    std::array<std::unique_ptr<shared_group>, 3> groups;
    for (auto& each : groups) each = std::make_unique<shared_group>(engine);
    crew threads(plan.threads, plan.seed, [&](unsigned, random_numbers& mine) {
      player one(engine, groups, counts, mine);
      while (detent::clock::now() < plan.until && counts.operations < plan.operations) one.step();
    });
    threads.join();
    if (random.one_in(2)) await_ends(groups, random);
    returned = engine.stop().size();
    reported = engine.metrics();
    for (const auto& each : groups) require(each->group.pending() == 0, "a group has members after stop()");
  }
  require(counts.living == 0, "a capture was left behind");
  require(reported.pending == 0 && reported.scheduled == counts.scheduled, "the metrics: scheduled");
  require(reported.returned == returned && reported.fired == counts.runs && reported.dropped == 0,
          "the metrics: returned and fired");
  require(reported.scheduled == reported.expired + reported.cancelled + reported.returned, "the metrics do not add up");
  return counts.operations;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "groups",
              .description = "Cancels, pauses, resumes and ends groups while their members run and are used by others.",
              .counted = "operations",
              .play = play});
}
