// SPDX-License-Identifier: MIT
// The engines of the walk of docs/endings.md: each is set up for an event that an operation is to meet on it.
#pragma once

#include <detent/engine.hpp>
#include <detent/error.hpp>
#include <detent/keyed_pool.hpp>
#include <detent/manual_clock.hpp>
#include <detent/thread_pool.hpp>
#include <detent/timer_group.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "support/platform/unlockable_memory.hpp"

namespace detent::testing {

enum class ending_event {
  elapses,
  cancelled,             // in the operation's own way, before its time
  cancelled_while_held,  // after the executor has taken the run, and before it starts it
  unfired_run,           // the engine is stopped, and the timer that stop() has returned is run
  unfired_thrown_away,
  refused_run_inline,  // by the executor, once, under that refusal_policy
  refused_retry,
  refused_drop,
  dropped,             // by the executor, which had taken it
  group_cancelled,     // the group whose member the operation is
  over_capacity,       // the engine has no place for another timer when the operation begins
  out_of_memory,       // there is no memory for another timer when the operation begins
  stopped_before,      // the engine, when the operation begins
  moved,               // the engine; then the operation elapses
  moved_cancelled,     // the engine; then the operation is cancelled
  destroyed,           // the engine, while the operation waits
  destroyed_when_held  // the engine, while the executor holds the run
};
// The last is driven by the operation itself.
enum class ending_engine { worker, pool, keyed_pool, virtual_time, caller };
using ending_case = std::tuple<ending_event, ending_engine>;

// Stands in front of another executor, or of the engine's own thread. It passes runs on, refuses some, or keeps them.
class gated_executor final : public executor {
 public:
  explicit gated_executor(std::shared_ptr<executor> behind) : behind_(std::move(behind)) {}
  bool execute(fired_timer&& work) noexcept override {
    if (refusals.load() > 0) {
      refusals.fetch_sub(1);
      return false;
    }
    if (holds.load()) {
      std::lock_guard lock(turn_);
      held_.push_back(std::move(work));
      return true;
    }
    if (behind_ != nullptr) return behind_->execute(std::move(work));
    work();
    return true;
  }
  bool keeps_order() const noexcept override { return behind_ != nullptr && behind_->keeps_order(); }
  std::deque<fired_timer> take_held() {
    std::lock_guard lock(turn_);
    return std::exchange(held_, {});
  }
  bool holds_one() {
    std::lock_guard lock(turn_);
    return !held_.empty();
  }

  std::atomic<int> refusals{0};
  std::atomic<bool> holds{false};

 private:
  const std::shared_ptr<executor> behind_;
  std::mutex turn_;
  std::deque<fired_timer> held_;
};

// An engine of that kind that is set up for that event.
class ending_rig {
 public:
  ending_rig(ending_event event, ending_engine kind) : is_virtual_(kind == ending_engine::virtual_time) {
    engine_options options{.reserve = 256};
    if (is_virtual_) options.manual = &clock_;
    if (kind == ending_engine::caller) options.drive = drive_kind::caller;
    std::shared_ptr<executor> behind;
    if (kind == ending_engine::pool) behind = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    if (kind == ending_engine::keyed_pool) behind = std::make_shared<keyed_pool>(keyed_pool_options{.threads = 2});
    gate_ = std::make_shared<gated_executor>(behind);
    options.executor = behind;
    switch (event) {
      case ending_event::refused_drop:
        options.on_refusal = refusal_policy::drop;
        gate_->refusals = 1'000'000;
        break;
      case ending_event::refused_retry:
        options.on_refusal = refusal_policy::retry;
        gate_->refusals = 1;
        break;
      case ending_event::refused_run_inline: gate_->refusals = 1; break;
      case ending_event::cancelled_while_held:
      case ending_event::dropped:
      case ending_event::destroyed_when_held: gate_->holds = true; break;
      case ending_event::over_capacity: options.max_pending = 1; break;
      case ending_event::out_of_memory:
        options.reserve = 1;
        options.memory.lock = preference::require;
        break;
      default: break;
    }
    if (gate_->refusals != 0 || gate_->holds) options.executor = gate_;
    failure refused;
    std::optional<engine> made = engine::try_create(std::move(options), refused);
    if (!made) {
      refusal_ = refused.message();
      return;
    }
    engine_ = std::make_unique<engine>(std::move(*made));
    group_.emplace(*engine_);
    if (event == ending_event::over_capacity) engine_->schedule_after(std::chrono::hours(1), [] {});
    if (event == ending_event::out_of_memory) use_up_memory();
  }
  // Empty, or the reason why this machine has no engine for that event.
  const std::string& refusal() const noexcept { return refusal_; }

  engine& on() noexcept { return *engine_; }
  timer_group& group() noexcept { return *group_; }
  gated_executor& gate() noexcept { return *gate_; }
  void move() { engine_ = std::make_unique<engine>(std::move(*engine_)); }
  void destroy() noexcept { engine_.reset(); }
  // Lets time pass, if the walk must do that.
  void turn() {
    if (!is_virtual_ || engine_ == nullptr || engine_->stopped()) return;
    clock_.advance(std::chrono::milliseconds(1));
    engine_->poll();
  }

 private:
  // Uses up all memory that is locked already, until the engine refuses: some tens of thousands of timers.
  void use_up_memory() {
    no_more_.emplace();
    while (engine_->try_schedule_after(std::chrono::hours(1), [] {})) {
    }
  }

  const bool is_virtual_;
  std::string refusal_;
  std::optional<unlockable_memory> no_more_;
  manual_clock clock_;
  std::shared_ptr<gated_executor> gate_;
  std::unique_ptr<engine> engine_;
  std::optional<timer_group> group_;
};

}  // namespace detent::testing
