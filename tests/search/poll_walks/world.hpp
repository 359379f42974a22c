// SPDX-License-Identifier: MIT
// An engine and its specification, to which the same is done; and all that the engine does by itself is told to the
// specification.
#pragma once

#include <detent/detent.hpp>
#include <detent/timer_group.hpp>

#include "search/poll_walks/helpers.hpp"
#include "search/poll_walks/program.hpp"
#include "spec/engine.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace detent::poll_walks {

using spec::timer_id;

class world {
 public:
  explicit world(const setting& made_with);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // Plays all of it, and then to the end: everything is stopped, and all captures are destroyed once. What went wrong,
  // or nothing. After something did, the world must not even be destroyed.
  std::string play(const program& of);

  // --- Called back
  void run(timer_id id, firing& seen);
  void destroyed(timer_id id);
  bool execute(unsigned executor, fired_timer&& work);

 private:
  class moody;
  struct account {
    timer handle;
    bool witnessed = false;  // its callable reports its destruction
    bool made = false;
    bool of_bulk = false;
    int destroyed = 0;
    std::uint64_t runs = 0;
    const std::vector<operation>* inside = nullptr;
  };
  struct held_work {
    fired_timer work;
    timer_id id;
    std::uint64_t ticket;
  };

  void perform(const operation& step);
  void perform_here(const operation& step);
  void check_answers();
  void run_returned(std::vector<unfired_timer>& left);
  void run_returned(firing& seen);
  void finish();
  bool broken() const { return !spec_.broke.kept(); }
  template <class A, class B>
  void expect_equal(const A& came, const B& expected, const char* what);

  // making.cpp
  void make(const operation& step);
  void make_one(const operation& step, std::uint32_t name, nanoseconds_t when);
  template <class F>
  timer call_schedule(const spec::plan& asked, F&& callable);
  void make_bulk(const operation& step);
  account& account_of(timer_id id);
  timer_options options_of(const spec::plan& asked);
  executor* executor_of(unsigned number);
  periodic_options periodic_options_of(const spec::plan& asked);
  spec::plan plan_of(const operation& step);

  // touching.cpp
  void on_timers(const operation& step);
  void on_group(const operation& step);
  bool is_run_elsewhere(spec::group_id group) const;
  void move();
  void check_fd();
  void poll(std::size_t most);
  void ask(timer_id id);
  void ask_next();
  void list();
  void compare_metrics();
  void hand_back(bool runs);
  void run_ticket(fired_timer& work, timer_id id, std::uint64_t ticket);

  nanoseconds_t now() const { return clock_.now().time_since_epoch().count(); }
  nanoseconds_t time_of(const moment& when);
  timer_id named(std::uint32_t name) const;
  // An executor sees no difference between the timers of a bulk, so their order has to be certain: one thread arms
  // them.
  bool may_arm(timer_id id) const;

  const setting made_with_;
  manual_clock clock_;
  spec::engine spec_;
  std::vector<std::shared_ptr<moody>> executors_;  // null: the driver
  std::unique_ptr<engine> engine_;
  std::vector<label> labels_;
  struct group_pair {
    std::unique_ptr<timer_group> group;
    spec::group_id id;
  };
  std::vector<group_pair> groups_;
  std::deque<account> accounts_;
  std::map<std::uint32_t, timer_id> names_;
  std::deque<held_work> held_;
  unsigned held_mode_ = 0, offers_ = 0;
  struct running {
    timer_id id;
    unsigned on;  // which thread
  };
  std::vector<running> running_;
  bool polling_ = false, over_ = false;
  int wake_fd_ = -1;
  nanoseconds_t returned_ = 0;    // the deadline of what runs of that
  unsigned me_ = 0, poller_ = 0;  // the thread that plays now, and the one inside poll()
  std::vector<bool> busy_;        // threads that wait for others
  helpers helpers_;
};

}  // namespace detent::poll_walks
