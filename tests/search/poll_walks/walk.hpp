// SPDX-License-Identifier: MIT
// A walk: one clock, some engines with their specifications, the threads that call them, and the program that is
// played.
#pragma once

#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>

#include "search/poll_walks/helpers.hpp"
#include "search/poll_walks/program.hpp"
#include "search/poll_walks/world.hpp"
#include "spec/run.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace detent::poll_walks {

class walk {
 public:
  explicit walk(const setting& made_with);
  ~walk();
  walk(const walk&) = delete;
  walk& operator=(const walk&) = delete;

  // Plays all of it, and then to the end: everything is stopped, and all captures are destroyed once. What went wrong,
  // or nothing. After something did, the walk must not even be destroyed.
  std::string play(const program& of);

  // --- For its worlds

  const setting made_with;
  spec::rules broke;  // of what is no engine's alone
  bool broken() const;
  nanoseconds_t now() const { return clock_.now().time_since_epoch().count(); }
  nanoseconds_t time_of(const moment& when) const;
  // Sets the clock of each specification to the walk's time.
  void look_at_clock();
  void name(std::uint32_t name, world& of, timer_id id) { names_[name] = {&of, id}; }
  // A timer is about to have its turn.
  void turn(world& of, timer_id id);
  void perform(const operation& step);
  const std::vector<std::shared_ptr<executor>>& executors() const { return executors_; }

  unsigned me = 0;  // the thread that plays now
  struct running_timer {
    const world* of;
    timer_id id;
    unsigned on;  // which thread
  };
  std::vector<running_timer> running;
  // A call of run_until() or run_for() is under way, on that thread.
  bool drives() const { return run_.has_value(); }
  bool drives_in(const spec::engine& of) const { return run_ && run_->polls(of); }
  unsigned driver() const { return driver_; }
  // Such a call would not return while timers arm themselves, or executors refuse.
  bool has_run_enough() { return run_ && ++runs_in_run_ > 200; }
  bool has_refused_enough() { return run_ && ++refused_in_run_ > 3; }
  // Such a run has a deadline and no timer, and arms nothing. True in a callback that the walk runs after stop().
  bool runs_returned() const { return runs_returned_; }
  void run_returned(firing& seen);
  // 0 is none.
  base::stop_token token(unsigned number) const;

 private:
  class moody;
  struct named {
    world* of = nullptr;
    timer_id id = 0;
  };

  engine_options options();
  void make_engines();
  void make_labels();
  void move_clock();
  bool execute(unsigned executor, fired_timer&& work);
  void check_answers();
  void finish();

  // playing.cpp
  void perform_here(const operation& step);
  void on_timers(const operation& step);
  void ask_to_stop(unsigned source);
  void run(const operation& step);
  void refuse_run(world& of, nanoseconds_t end);
  void close(const std::vector<world*>& those);
  void stop(const std::vector<world*>& those);
  void compare_returned(const std::map<world*, std::map<timer_id, spec::returned_timer>>& expected,
                        const std::vector<unfired_timer>& left);
  void run_returned(std::vector<unfired_timer>& left);
  void refuse_drain(world& on, bool all);

  // set.cpp
  void on_groups(const operation& step);
  void on_whole_group(const operation& step, std::size_t place);
  void make_bulk(const operation& step);
  void list();
  void compare_metrics();

  named find(std::uint32_t name) const;
  std::vector<world*> all() const;

  manual_clock clock_;
  std::vector<std::shared_ptr<executor>> executors_;  // null: the driver
  std::unique_ptr<sharded_engine> set_;
  std::vector<sharded_group> set_groups_;
  std::vector<std::unique_ptr<world>> worlds_;
  std::map<std::uint32_t, named> names_;
  std::optional<spec::run> run_;
  std::size_t runs_in_run_ = 0, refused_in_run_ = 0;
  unsigned driver_ = 0;
  static constexpr unsigned sources = 2;
  std::array<base::stop_source, sources> sources_;
  bool runs_returned_ = false;
  nanoseconds_t returned_ = 0;  // the deadline of what runs of that
  std::vector<bool> busy_;      // threads that wait for others
  helpers helpers_;
};

}  // namespace detent::poll_walks
