// SPDX-License-Identifier: MIT
// A program that a worker and producers play on a stage, before a judge. It ends the process if a promise is broken.
#pragma once

#include "search/worker_walks/judge.hpp"
#include "search/worker_walks/stage.hpp"

#include <detent/engine.hpp>
#include <detent/executor.hpp>
#include <detent/timer_group.hpp>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace detent::worker_walks {

// The number of the calling thread, of a producer from 1 on.
inline thread_local unsigned me = 0;

class walk {
 public:
  explicit walk(const program& plays);
  void play();
  const judge& seen() const { return judge_; }

 private:
  void begin();
  std::shared_ptr<executor> make_executor();
  void play(const move& each);
  void call_by(const move& each);
  void finish(unsigned producer);
  void settle();
  void finish_all();
  void begin_stop(bool amid_calls);
  void end_stop(const std::vector<unfired_timer>& returned);
  void drain(const move* next);
  void end();

  // Makes a call (calls.cpp) on the thread of that number; 0 stands for a run. `at_once` says that no other thread
  // moves until the call waits.
  void perform(const call& what, unsigned thread, bool at_once);
  void arm(const call& what, unsigned thread);
  void arm(const call& what, unsigned thread, const std::vector<time_point>& deadlines, std::vector<timer>& handles);
  template <class Callback>
  timer arm_one(const call& what, unsigned thread, time_point at, Callback&& callback);
  void cancel(const call& what);
  void restart(const call& what, unsigned thread);
  timer_group* group_for(const call& what, unsigned thread);
  void end_group(unsigned group, unsigned thread, bool at_once);
  void close();
  void ask(std::uint32_t timer);
  void list();
  void ask_for_metrics();
  friend class owner;
  void run(std::uint32_t timer, firing& now);

  // Called by the executor, and the calls that empty it (executing.cpp).
  friend class taker;
  bool execute(fired_timer&& work);
  void spend(fired_timer work, const judge::ticket& of, bool runs);
  void hand_back(bool runs);

  // Called on the worker before each of its steps.
  void step(const hooks::site* where);

  const program& plays_;
  stage stage_;
  judge judge_;
  std::optional<engine> engine_;
  std::array<std::unique_ptr<timer_group>, groups + 1> groups_;
  std::array<label, labels + 1> labels_;
  std::array<timer_group*, groups + 1> ending_{};       // groups that are being destroyed
  std::array<std::function<void()>, producers> calls_;  // those that are under way
  std::vector<const call*> arms_;                       // the call that has armed each timer
  ns last_reading_ = 0, looked_at_ = 0, last_looked_at_ = 0;
  bool has_swept_ = false;      // the worker has just asked whether groups need it
  unsigned waiting_steps_ = 0;  // steps of a wait, in a row
  // Readings of the clock in a row, each after one look at the bell. Two of them belong to a wait, because between two
  // callbacks there is only one.
  unsigned readings_of_a_wait_ = 0;
  bool last_is_bell_ = false;                                        // the last step has looked at the bell
  std::array<std::optional<std::uint32_t>, producers + 1> running_;  // the timer of each thread's run
  struct held_job {
    fired_timer work;
    judge::ticket of;
  };
  std::deque<held_job> held_;  // what the executor holds
  mood mood_ = mood::runs;
  unsigned offers_ = 0;
};

}  // namespace detent::worker_walks
