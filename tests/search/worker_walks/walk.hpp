// SPDX-License-Identifier: MIT
// A program, played by a worker and producers on a stage, before a judge. Ends the process where a promise is broken.
#pragma once

#include "search/worker_walks/judge.hpp"
#include "search/worker_walks/stage.hpp"

#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace detent::worker_walks {

class walk {
 public:
  explicit walk(const program& plays);
  void play();
  const judge& seen() const { return judge_; }

 private:
  void begin();
  void play(const move& each);
  void call_by(const move& each);
  void finish(unsigned producer);
  void settle();
  void stop();
  void end();

  // A call, of the thread of that number; 0: inside a run.
  void perform(const call& what, unsigned thread);
  void arm(const call& what, unsigned thread);
  void arm(const call& what, const std::vector<time_point>& deadlines, std::vector<timer>& handles);
  void cancel(const call& what);
  void restart(const call& what, unsigned thread);
  void run(std::uint32_t timer, firing& now);

  // On the worker.
  void step(const hooks::site* where);

  const program& plays_;
  stage stage_;
  judge judge_;
  std::optional<engine> engine_;
  std::array<std::optional<timer_group>, groups + 1> groups_;
  std::array<std::function<void()>, producers> calls_;  // under way
  std::vector<const call*> arms_;                       // of each timer
  ns last_reading_ = 0, looked_at_ = 0, last_looked_at_ = 0;
  bool has_swept_ = false;      // it has asked what is to be done for groups
  unsigned waiting_steps_ = 0;  // in a row
  bool is_stopping_ = false;    // and refuses timers
};

}  // namespace detent::worker_walks
