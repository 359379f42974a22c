// SPDX-License-Identifier: MIT
// What an engine must do, as an obvious model: every timer there ever was, those that wait in the order of (deadline,
// arming), and the counts that metrics() has to report.
#pragma once

#include <detent/timer.hpp>

#include "period_rule.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace detent::sim {

using timer_id = std::uint32_t;

enum class phase : std::uint8_t {
  being_made,
  waiting,
  handed,  // to an executor
  firing,
  ended
};
enum class ending : std::uint8_t { none, never_made, expired, cancelled, returned, dropped };

// One timer's account.
struct account {
  timer_id id = 0;
  std::uint32_t epoch = 0;  // which engine
  timer handle;
  phase now = phase::being_made;
  ending how = ending::none;
  bool witnessed = false;  // its callable reports its destruction
  bool destroyed = false;
  bool boxed = false;
  period_rule rule;
  std::uint64_t runs_left = 0;  // 0: no end
  bool moved = false;           // restarted since it was armed: the grid begins again there
  nanoseconds_t deadline = 0;
  std::uint64_t armer = 0, arming = 0;  // which thread armed it last, and the how manieth arming that was
  nanoseconds_t max_lateness = end_of_time;
  bool runs_stale = false;
  std::uint64_t pass = 0;  // in which it last had its turn
  std::uint64_t slot = 0;  // the hand-over that counts
  bool last_run = false, cancelled_running = false;
  bool rearmed = false;
  nanoseconds_t rearm_at = 0;
  std::uint64_t runs = 0;
  timer_id owns = 0;  // the timer that its captures own; 0: none

  bool periodic() const noexcept { return rule.kind != repetition::none; }
  bool pending() const noexcept { return now == phase::waiting || now == phase::handed; }
};

struct counts {
  std::uint64_t scheduled = 0, expired = 0, cancelled = 0, returned = 0, dropped = 0, fired = 0, restarted = 0,
                refused = 0, failed = 0, boxed = 0;
};

class model {
 public:
  // Another engine: what the last one had has ended.
  void open(nanoseconds_t tick, std::size_t capacity);
  std::uint32_t epoch() const noexcept { return epoch_; }
  nanoseconds_t tick() const noexcept { return tick_; }

  account& make();
  account& at(timer_id id) { return accounts_[id - 1]; }
  const std::deque<account>& accounts() const noexcept { return accounts_; }
  std::vector<timer_id>& of_epoch() noexcept { return of_epoch_; }

  // Schedules or arms again, by thread `armer`; rounds.
  void arm(account& timer, nanoseconds_t deadline, std::uint64_t armer);
  void scheduled(account& timer);
  void hand_over(account& timer);
  void start(account& timer);
  // Not for a timer that is firing.
  void cancel(account& timer) { end(timer, ending::cancelled); }
  void end(account& timer, ending how);

  bool full() const noexcept { return capacity_ != 0 && places_ >= capacity_; }
  bool has_place(const account& timer) const noexcept;
  // What pending() has to report: firing periodic timers included, which end later.
  std::size_t pending() const noexcept { return places_; }

  // One call of poll(): at one reading of the clock, each timer once.
  void begin_pass(nanoseconds_t now);
  std::uint64_t pass() const noexcept { return pass_; }
  bool is_candidate(const account& timer) const noexcept;
  // A timer whose turn comes before this one's, or null.
  const account* overtaken_by(const account& timer) const;
  // The first that is due in this pass, or null; of equal deadlines, the one armed first.
  account* first_candidate();
  // Whether timers of several threads share the deadline of the first due one (`all`: of any due one): their order is
  // nobody's promise.
  bool ambiguous(bool all) const;
  std::optional<nanoseconds_t> next_deadline() const;

  counts reported;

 private:
  using place = std::tuple<nanoseconds_t, std::uint64_t, timer_id>;
  void leave_waiting(account& timer);
  void recount(account& timer, bool had_place);

  nanoseconds_t tick_ = 1;
  std::size_t capacity_ = 0, places_ = 0;
  std::uint32_t epoch_ = 0;
  std::deque<account> accounts_;
  std::vector<timer_id> of_epoch_;
  std::set<place> waiting_;
  std::uint64_t armings_ = 0, slots_ = 0, pass_ = 0;
  nanoseconds_t pass_now_ = 0;
};

}  // namespace detent::sim
