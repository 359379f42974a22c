// SPDX-License-Identifier: MIT
// An engine of a walk beside its specification. The walk makes each call on both, and passes the engine's callbacks on
// to the specification.
#pragma once

#include <detent/detent.hpp>
#include <detent/timer_group.hpp>

#include "search/poll_walks/program.hpp"
#include "spec/engine.hpp"
#include "support/coroutine_tasks.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace detent::poll_walks {

using spec::timer_id;
class walk;

// A world has at most this many timers, because callbacks that make timers whose callbacks make timers would go on for
// too long.
constexpr std::size_t most_timers = 4'000;
constexpr unsigned group_count = 3, thread_count = 3, most_engines = 3;
// With executors, a timer's tag holds the number of its world and its number in that world.
constexpr std::uint64_t tags_of_a_world = 10'000;

class world {
 public:
  // An engine of its own.
  world(walk& of, unsigned number, const engine_options& options);
  // A shard of a set.
  world(walk& of, unsigned number, engine& shard);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  engine& real() const { return *engine_; }
  spec::engine& specified() { return spec_; }
  const spec::timer& timer_of(timer_id id) const { return spec_.at(id); }
  // In a callback of its poll(), or of the part of run_until() that polls it.
  bool is_polled() const;
  bool is_polled_by_hand() const { return polling_; }
  // The thread that does it.
  unsigned poller() const;
  void take_labels(const std::vector<label>& labels) { labels_ = labels; }
  // Makes a group of its own, or takes the part of a group of a set.
  void take_group(std::size_t place, timer_group* part = nullptr);
  // Makes a call of a set's group on the specification. All shards do so before call_group() is called for any of them.
  void specify_group(action what, std::size_t place);
  void call_group(const operation& step, std::size_t place);
  bool is_run_elsewhere(std::size_t place) const;
  std::size_t specified_pending_in(std::size_t place) const { return spec_.pending_in(groups_[place].id); }
  // Whether a callback of this engine runs: on this thread, or on one that waits for it.
  bool runs_here() const;
  bool runs_elsewhere() const;

  const std::vector<label>& labels() const { return labels_; }

  // making.cpp
  void make(const operation& step);
  void make_bulk(const operation& step);
  timer_options options_of(const spec::plan& asked);
  // Numbers are taken modulo what there is.
  spec::plan plan_of(const operation& step);
  spec::plan plan_of_bulk(const operation& step);
  void note_bulk(const operation& step, std::uint32_t name, timer_id id);
  void note_handle(timer_id id, const timer& made);

  // sleeping.cpp
  void sleep(const operation& step);
  void ask_to_stop(unsigned source);
  void forget_token(unsigned source);

  // ticking.cpp
  void tick(const operation& step);
  void find_tickers();

  // touching.cpp
  void on_timer(const operation& step, timer_id id, nanoseconds_t when);
  void poll(std::size_t most);
  void move();
  void ask_next();
  void list();
  void hand_back(bool runs);
  void set_mode(unsigned mode) { held_mode_ = mode; }
  const timer& handle_of(timer_id id) { return account_of(id).handle; }

  void compare_metrics();
  void compare_list(std::span<const pending_timer> listed);
  std::map<timer, timer_id> by_handle();

  // --- Called back
  void run(timer_id id, firing& seen);
  void destroyed(timer_id id);
  bool execute(unsigned executor, fired_timer&& work);

  void check_answers();
  void check_end();
  void end();
  void check_captures();

 private:
  struct account {
    timer handle;
    bool witnessed = false;  // its callable reports its destruction
    bool made = false;
    bool of_bulk = false;
    int destroyed = 0;
    std::uint64_t runs = 0;
    const std::vector<operation>* inside = nullptr;
    // These are for a coroutine that sleeps.
    std::optional<testing::owned_task> frame;
    unsigned token = 0;
    std::set<errc> refusals;
  };
  struct ticker {
    std::optional<testing::owned_task> frame;
    timer_id waits = 0;  // the timer of its next point
  };
  struct held_work {
    fired_timer work;
    timer_id id;
    std::uint64_t ticket;
  };
  struct group_pair {
    timer_group* group = nullptr;
    std::unique_ptr<timer_group> own;
    spec::group_id id = spec::no_group;
  };

  // `seen` is null in a coroutine.
  void perform_inside(timer_id id, firing* seen, bool& throws);
  void make_one(const operation& step, std::uint32_t name, nanoseconds_t when);
  template <class F>
  timer call_schedule(const spec::plan& asked, bool after, nanoseconds_t delay, F&& callable);
  account& account_of(timer_id id);
  executor* executor_of(unsigned number);
  periodic_options periodic_options_of(const spec::plan& asked);
  // An executor sees no difference between the timers of a bulk, so their order has to be certain: one thread arms
  // them.
  bool may_arm(timer_id id) const;
  timer_id arm_sleep(const spec::plan& asked, const operation& step, const base::stop_token& token);
  void find_sleeper(timer_id id);
  testing::owned_task sleeping(timer_id id, const operation& step, spec::plan asked, duration delay,
                               base::stop_token token);
  testing::owned_task ticking(ticker& of, const operation& step, spec::plan asked, spec::points grid,
                              base::stop_token token);
  void woke(timer_id id, bool elapsed, errc problem, const base::stop_token& token);
  void go_on_without_run(timer_id id, errc problem, bool is_asked);
  void destroy(timer_id id);
  timer_group* group_of(spec::group_id id) const;
  void check_fd();
  void ask(timer_id id);
  void check_offer(const fired_timer& work, timer_id id);
  void run_ticket(fired_timer& work, timer_id id, std::uint64_t ticket);

  walk& walk_;
  const unsigned number_;
  spec::engine spec_;
  std::unique_ptr<engine> own_;
  engine* engine_;
  std::vector<label> labels_;
  std::vector<group_pair> groups_;
  std::deque<account> accounts_;
  std::deque<ticker> tickers_;
  std::deque<held_work> held_;
  unsigned held_mode_ = 0, offers_ = 0;
  bool polling_ = false;
  unsigned poller_ = 0;  // the thread inside poll()
  int wake_fd_ = -1;
};

}  // namespace detent::poll_walks
