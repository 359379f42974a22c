// SPDX-License-Identifier: MIT
// An engine on a manual clock beside the specification: each call is made on both, and must come to the same.
#pragma once

#include <detent/detail/timer_access.hpp>

#include "spec/engine.hpp"
#include "support/drive_virtual.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace detent::drive {

class specified_engine {
 public:
  using timer_id = spec::timer_id;  // 1, 2, 3 ...

  explicit specified_engine(const engine_options& options)
      : spec_({.tick = options.tick.count()}), rig_(options, time_point(duration(0))) {}

  time_point now() const { return rig_.clock.now(); }
  bool pending(timer_id id) const { return spec_.pending(id); }
  const spec::engine& expected() const { return spec_; }
  detent::engine& real() { return rig_.engine; }
  // Returns the rule that the engine has broken, or nothing.
  const std::string& broken() const { return spec_.broke.broken(); }

  timer_id schedule(time_point deadline) {
    const timer_id id = spec_.schedule({.when = detail::to_ns(deadline)}, 0).id;
    timers_.push_back(rig_.engine.schedule_at(deadline, [this, id](firing& seen) { run(id, seen); }));
    return id;
  }
  void cancel(timer_id id) {
    const cancel_result expected = spec_.cancel(id);
    spec_.broke.require(timers_[id - 1].cancel() == expected, "cancel()");
  }
  void restart(timer_id id, time_point deadline) {
    const bool expected = spec_.restart(id, detail::to_ns(deadline), 0);
    spec_.broke.require(timers_[id - 1].restart_at(deadline) == expected, "restart_at()");
  }
  void move_to(time_point t) {
    rig_.clock.advance_to(t);
    spec_.move_to(detail::to_ns(now()));
  }
  void poll(std::size_t max = SIZE_MAX) {
    spec_.begin_pass({.how = spec::drive::poll, .now = spec_.now(), .most = max});
    spec_.end_pass(rig_.engine.poll(max));
    spec_.broke.require(rig_.engine.pending() == spec_.pending(), "engine::pending()");
  }

 private:
  void run(timer_id id, firing& seen) {
    spec_.begin_run(id, 0,
                    {.deadline = detail::to_ns(seen.deadline()),
                     .lateness = seen.lateness().count(),
                     .missed = seen.missed(),
                     .tag = seen.tag(),
                     .stale = seen.stale()});
    spec_.end_run(id, 0, false);
  }

  spec::engine spec_;
  virtual_engine rig_;
  std::deque<timer> timers_;
};

}  // namespace detent::drive
