// SPDX-License-Identifier: MIT
// An engine in virtual time, one timer that the victim and the others quarrel over, and all that the others do.
#pragma once

#include <detent/detent.hpp>
#include <proofs/progress/trial.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace progress {

// Keeps what it gets, until somebody takes it.
class keeping_executor final : public detent::executor {
 public:
  bool execute(detent::fired_timer&& work) noexcept override;
  // The oldest; nothing is left in its place.
  detent::fired_timer take();
  std::size_t size() const { return kept_.size(); }

 private:
  std::vector<detent::fired_timer> kept_;
};

// The states of a timer.
enum class state : std::uint8_t { queued, armed, dispatched, gone };

// The test's main thread drives it, by poll(); its wake_fd is open, so that others ring.
class world {
 public:
  struct kind {
    state contested = state::queued;
    bool owning = false;  // the callable has something to destroy
    std::size_t capacity = 0;
    bool executor = false;
    bool grouped = false;   // it is a member of group()
    bool labelled = false;  // it has the label
    bool capture_origin = false;
    const char* record = "";
    bool cancelled = false;  // by the others, which otherwise restart it
  };
  explicit world(kind what);
  // Never destroyed: the victim is inside.

  detent::engine& engine() { return *engine_; }
  int wake_fd() const { return wake_fd_; }
  detent::timer contested() const { return contested_; }
  detent::timer_group& group() { return *group_; }
  const detent::label& label() const { return label_; }
  keeping_executor& executor() { return *executor_; }
  detent::manual_clock& clock() { return clock_; }
  detent::time_point soon() const { return clock_.now() + std::chrono::seconds(1); }
  detent::time_point far() const { return clock_.now() + std::chrono::hours(1); }
  // A call that leaves nothing: the calling thread has a record from then on.
  void get_acquainted();
  void make_due();

  // --- What the others do. All of it must come to its end. ---

  // Schedule, cancel and restart calls, of one timer, of many and of a group, queries, a new thread that comes and
  // goes, and on the contested timer too. By the main thread.
  void probe_calls();
  // Timers that are scheduled or restarted now fire when their time has come, and cancelled ones do not.
  void probe_firing();
  // poll(), where another thread is inside it.
  void probe_refused_poll();

 private:
  void probe_own_timers();
  void probe_contested();
  void probe_new_thread();
  void probe_magazines();
  void probe_group();
  void probe_many();
  void probe_reports();
  detent::timer schedule_contested();
  template <class F>
  detent::timer schedule_contested(F&& f);

  const kind what_;

  detent::manual_clock clock_{detent::time_point(std::chrono::hours(1))};
  std::shared_ptr<keeping_executor> executor_;
  std::unique_ptr<detent::engine> engine_;
  std::optional<detent::timer_group> group_;   // the victim's, too
  std::optional<detent::timer_group> ending_;  // ends in probe_firing(), with a member
  detent::label label_;
  int wake_fd_;
  detent::timer contested_;
  std::atomic<int> contested_runs_{0};
  bool contested_cancelled_ = false;  // says the cancel of the others
  std::vector<detent::timer> pending_;
  detent::timer armed_;
};

// Leaks a world; `trial` uses it.
world& make_world(world::kind what = {});

}  // namespace progress
