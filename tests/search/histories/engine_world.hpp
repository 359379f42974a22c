// SPDX-License-Identifier: MIT
// A caller-driven engine on a manual clock as the world of histories. Making one costs some 300 histories, so it goes
// on from history to history as long as time lasts.
#pragma once

#include <detent/engine.hpp>
#include <detent/firing.hpp>
#include <detent/manual_clock.hpp>

#include "search/histories/history.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace detent::history {

class engine_world {
 public:
  explicit engine_world(const setting& where) : where_(where) {}

  // Sets the clock to this time, with no timer. Makes a new engine if the clock of the old one is later.
  void begin(nanoseconds_t start) {
    timers_.clear();
    if (!rig_ || start < now()) rig_ = std::make_unique<rig>(where_, start);
    rig_->clock.advance_to(detail::to_time(start));
  }
  nanoseconds_t now() const { return rig_ ? detail::to_ns(rig_->clock.now()) : detail::forever; }
  std::uint32_t made() const { return static_cast<std::uint32_t>(timers_.size()); }
  void schedule(nanoseconds_t by) {
    const int id = static_cast<int>(made());
    timers_.push_back(rig_->engine.schedule_at(behind_now(by), [this, id](firing& f) {
      fired.push_back({id, detail::to_ns(f.deadline())});
    }));
  }
  bool cancel(std::uint32_t id) { return timers_[id].cancel() == cancel_result::cancelled; }
  bool restart(std::uint32_t id, nanoseconds_t by) { return timers_[id].restart_at(behind_now(by)); }
  void advance(nanoseconds_t by) { rig_->clock.advance(duration(by)); }
  std::size_t poll(nanoseconds_t most) { return rig_->engine.poll(static_cast<std::size_t>(most)); }
  std::optional<nanoseconds_t> next() {
    const auto next = rig_->engine.next_deadline();
    return next ? std::optional(detail::to_ns(*next)) : std::nullopt;
  }
  std::size_t pending() const { return rig_->engine.pending(); }

  std::vector<run> fired;

 private:
  struct rig {
    rig(const setting& where, nanoseconds_t start)
        : clock(detail::to_time(start)),
          engine({.manual = &clock,
                  .tick = duration(where.tick),
                  .reserve = 256,
                  .wheel = where.wheel,
                  .hashed_slots = where.slots}) {}
    manual_clock clock;
    detent::engine engine;
  };

  time_point behind_now(nanoseconds_t by) const { return detail::to_time(detail::add_saturated(now(), by)); }

  setting where_;
  std::unique_ptr<rig> rig_;
  std::vector<timer> timers_;
};

}  // namespace detent::history
