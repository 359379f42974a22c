// SPDX-License-Identifier: MIT
// A world: producers on several threads, one engine after another on a manual clock, an executor, and faults; step by
// step, all of it from one seed. The specification says what each call must come to.
#pragma once

#include <detent/detent.hpp>

#include "account.hpp"
#include "allocations.hpp"
#include "callables.hpp"
#include "crew.hpp"
#include "event_log.hpp"
#include "world_options.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "spec/engine.hpp"
#include "support/splitmix.hpp"

namespace detent::sim {

// What is to be played.
struct script {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;          // 0: the seed says
  std::set<std::uint64_t> without;  // steps that are left out
};

// A schedule call.
struct request {
  callable_kind kind = callable_kind::packed;
  repetition repeats = repetition::once;
  bool after = false;   // a delay instead of a deadline
  bool throws = false;  // the form that throws, not the one that returns an empty handle
  bool breaks = false;  // the callable throws while it is moved
  nanoseconds_t when = 0;
  nanoseconds_t period = 0;
  timer_options once = {};
  periodic_options periodic = {};
};

class world {
 public:
  // On a thread of its own, which ends with it.
  world(const script& plays, event_log& log);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // Plays all of it; then faults stop, and everything armed must fire. Returns when all is accounted for.
  void play();

  // --- Called back (world_runs.cpp, world_executor.cpp) ---
  void run(timer_id id, firing* run);
  void destroyed(timer_id id);
  bool execute(fired_timer&& work);

 private:
  struct held_work {
    fired_timer work;
    timer_id id;
    std::uint64_t ticket;
  };
  struct left_over {
    unfired work;
    timer_id id;
    nanoseconds_t deadline;
  };
  struct running {
    timer_id id;
    unsigned thread;
  };
  struct outcome {
    timer handle;
    errc problem{};
    bool copy_threw = false, out_of_memory = false;
  };

  // world.cpp
  void step();
  void step_by_choice();
  void on_some_thread(const std::function<void()>& work);
  void check_rest();
  void check_counts();
  void check_specified();

  // What the specification knows.
  const spec::engine& known() const { return *spec_; }
  // Null where it was never scheduled, or by an engine that has gone.
  const spec::timer* known_of(const account& timer) const;
  bool is_pending(const account& timer) const;
  account& make_account();
  void scheduled(account& timer, const spec::plan& asked, bool faulty);

  // world_schedule.cpp
  void schedule();
  request draw_request();
  nanoseconds_t draw_delay();
  nanoseconds_t draw_deadline();
  outcome call_schedule(const account& timer, const request& asked);
  template <class F>
  outcome call_with(F&& callable, const request& asked);
  spec::plan plan_of(const request& asked) const;
  void check_refusal(const account& timer, const request& asked, const outcome& came, const std::set<errc>& foreseen,
                     bool refused);

  // world_handles.cpp
  account* draw_timer(bool of_pending);
  nanoseconds_t last_deadline(const account& timer) const;
  void restart(account& timer);
  void cancel(account& timer);
  void look_at(account& timer);
  void churn(std::uint64_t lives);

  // world_poll.cpp
  void move_clock();
  void poll();
  void poll_refused(errc why);
  void ask_next_deadline();
  void check_wake_fd();

  // world_runs.cpp
  void begin_run(account& timer, firing* seen);
  void had_turn(const account& timer);
  void check_firing(const account& timer, const firing& seen, const spec::run_report& foreseen) const;
  void act(account& timer, firing* seen);
  void act_once(account& timer, firing* seen);
  void act_on_self(account& timer, firing* seen);
  void end_run(account& timer, bool threw);
  void run_unfired(account& timer, firing* seen);

  // world_executor.cpp
  void run_unknown(fired_timer& work);
  bool take(fired_timer& work, account& timer);
  bool refuse(account& timer);
  void run_work(fired_timer& work, timer_id id, std::uint64_t ticket);
  void let_go(fired_timer& work, timer_id id, std::uint64_t ticket);
  void play_with_held();
  bool valid(timer_id id, std::uint64_t ticket) const;
  bool ambiguous(bool all) const;

  // world_ends.cpp
  void open_engine();
  void open_without_memory(const engine_options& options);
  void stop_engine();
  void stop_inside();
  void close_engine();
  void play_with_unfired();
  void move_engine();
  void replace_thread();
  void come_to_rest();

  // Memory is refused during the next call, sometimes. True: it was planned.
  bool plan_fault();
  spec::thread_id my_identity() const noexcept { return static_cast<spec::thread_id>(crew_.identity(crew_.me())); }
  // Under whose name an arming counts; one of its own where no order is promised.
  spec::thread_id armer(bool faulty);
  spec::thread_id unknown_thread();
  bool alive() const noexcept { return engine_ != nullptr && !closing_; }
  nanoseconds_t now() const noexcept { return clock_.now().time_since_epoch().count(); }
  // Whether every running callback is on this thread, and so is the pass: then this thread may end the engine.
  bool all_inside_me() const noexcept;

  const script script_;
  event_log& log_;
  test::splitmix random_;
  world_habits habits_;
  engine_habits made_with_;
  crew crew_;
  manual_clock clock_;
  std::deque<account> accounts_;  // of all timers there ever were
  std::uint32_t epoch_ = 0;
  std::optional<spec::engine> spec_;  // of this engine
  std::vector<timer_id> of_epoch_;    // by their numbers in it
  std::uint64_t boxed_ = 0;
  std::shared_ptr<executor> executor_;
  std::unique_ptr<engine> engine_;
  bool stopped_ = false, closing_ = false, resting_ = false;

  // The pass that is on, if any.
  bool in_pass_ = false, faulty_pass_ = false, turn_unknown_ = false;
  unsigned pass_thread_ = 0;

  std::vector<running> running_;
  std::vector<held_work> held_;
  std::vector<left_over> left_;
  timer_id running_work_ = 0;
  const left_over* running_unfired_ = nullptr;
  std::uint64_t errors_reported_ = 0;
  spec::thread_id unknown_threads_ = 0;
  std::set<timer> handles_;                // of this engine
  std::set<spec::thread_id> established_;  // threads that this engine knows
  int wake_fd_ = -1;
  nanoseconds_t announced_at_ = 0;  // the clock at the last check
};

}  // namespace detent::sim
