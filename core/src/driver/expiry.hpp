// SPDX-License-Identifier: MIT
// Firing: what has come due, in order.
#pragma once

#include "driver/agenda.hpp"
#include "driver/drain_port.hpp"
#include "driver/outbox.hpp"

namespace detent::detail {

// The driver's own.
class expiry {
 public:
  expiry(engine_core& core, driver_port& port, drive_state& drive, agenda& known, group_sweep& groups, outbox& offers,
         drain_port& entries, intake<drain_port>& drains) noexcept
      : core_(core),
        port_(port),
        drive_(drive),
        agenda_(known),
        groups_(groups),
        outbox_(offers),
        entries_(entries),
        intake_(drains),
        between_{overtake, this} {}

  // Fires or hands over what is due at `now`, at most `max_callbacks`; returns how many.
  std::size_t fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling);
  // Before the end of a wait until then: takes out the one timer that it is for, if that can fire without a pass.
  // fire_awaited() or give_up_awaited() follows before anything else is done.
  void await(nanoseconds_t until) noexcept;
  // The wait has ended at that time: fires the timer at once. `now` is a certain reading. False: nothing has fired, and
  // a pass has to look.
  bool fire_awaited(nanoseconds_t now) noexcept;
  // The wait has ended before.
  void give_up_awaited() noexcept;
  // Whether what the driving thread arms now comes after all that it has submitted to the queue.
  bool keeps_order() const noexcept;
  // The higher lanes in the middle of a long step of the bulk, whose wheel is in use meanwhile: what is critical is
  // drained and fires, all else waits for the end of the step. What its callbacks schedule, restart and cancel is
  // submitted as other threads do, and is processed the next time.
  void overtake() noexcept;
  // overtake() of `self`, for an interlude.
  static void overtake(void* self) noexcept { static_cast<expiry*>(self)->overtake(); }

 private:
  enum class step : std::uint8_t { fired, nothing, again };

  void catch_up(nanoseconds_t& now) noexcept;
  [[gnu::noinline]] std::size_t fire_due(nanoseconds_t now, std::size_t max_callbacks);
  bool take_critical(nanoseconds_t now) noexcept;
  // overtake() between two callbacks; `now` is its last reading.
  void stop_over(nanoseconds_t& now) noexcept;
  void collect_up_to(nanoseconds_t now) noexcept;
  void collect_more() noexcept;
  void accept_what_came_before() noexcept;
  void accept_critical_before() noexcept;
  // A timer has its turn that was restarted in its place. What its thread had armed before may still wait in the queue,
  // and be due before it or with it: that comes into the pass first.
  void settle(const due_entry& due, node& restarted) noexcept;
  bool take_due(node_index index, node& filed) noexcept;
  [[gnu::noinline]] bool take_due_after_interlude(node_index index, node& filed) noexcept;
  bool fire_next(nanoseconds_t& now);
  bool fire_of_run(nanoseconds_t& now);
  step fire_armed(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline, nanoseconds_t& now);
  [[gnu::noinline]] step fire_period(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                                     nanoseconds_t& now);
  step fire_inline(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline, nanoseconds_t& now);
  step hand_over(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                 nanoseconds_t& now) noexcept;
  lateness_parts late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept;

  engine_core& core_;
  driver_port& port_;
  drive_state& drive_;
  agenda& agenda_;
  group_sweep& groups_;
  outbox& outbox_;
  drain_port& entries_;
  intake<drain_port>& intake_;
  const interlude between_;  // overtake()
  awaited_timer awaited_;
  std::uint32_t hand_overs_ = 0;
  std::uint32_t taken_ = 0;  // out of the wheel, modulo its range
  // Of this pass: by the higher lanes, and by what was submitted before a restarted timer.
  int interruptions_ = 0, settled_ = 0;
};

}  // namespace detent::detail
