// SPDX-License-Identifier: MIT
// The specification of an engine: what docs/ and the public headers promise, as a plain program for one thread.
//
// It is used beside an implementation, in lock-step. Each call is made here first, which says what the implementation
// has to answer. Each action that the implementation takes by itself (a callback begins, an executor is offered a
// timer, captures are destroyed) is reported here as it happens, and `broke` keeps the first rule that such an action
// has broken. README.md shows both, and lists where an implementation is free.
#pragma once

#include <detent/error.hpp>
#include <detent/options.hpp>

#include "spec/counts.hpp"
#include "spec/pass.hpp"
#include "spec/rules.hpp"
#include "spec/timer.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace detent::spec {

struct executor_traits {
  bool is_inline = true;  // there is none: callbacks run on the driver
  bool keeps_order = false;
};

struct settings {
  nanoseconds_t tick = 1;
  nanoseconds_t start = 0;
  std::size_t max_pending = 0;
  refusal_policy on_refusal = refusal_policy::run_inline;
  // "`poll()` handles at most 100,000 members a call." (groups.md)
  std::size_t members_a_poll = 100'000;
  std::vector<executor_traits> executors{executor_traits{}};  // the first belongs to the engine itself
};

// The required outcome of a schedule call.
struct scheduled {
  timer_id id = 0;
  // The reasons for a refusal. If there are several, the implementation may name any of them.
  std::set<errc> refusals;
  bool refused() const { return !refusals.empty(); }
};

// The facts that a run, stop() and list_pending() must report.
struct run_report {
  nanoseconds_t deadline = 0, lateness = 0;
  std::uint64_t missed = 0, tag = 0;
  bool stale = false;
  bool operator==(const run_report&) const = default;
};
struct returned_timer {
  nanoseconds_t deadline = 0;
  std::uint64_t tag = 0;
  bool operator==(const returned_timer&) const = default;
};
struct listed_timer {
  nanoseconds_t deadline = 0;
  std::uint64_t tag = 0;
  std::uint32_t label = 0;
  std::string state;
  bool operator==(const listed_timer&) const = default;
};

class engine {
 public:
  explicit engine(const settings& made_with);

  // --- Time, which only moves forwards
  void move_to(nanoseconds_t now) { now_ = now > now_ ? now : now_; }
  nanoseconds_t now() const { return now_; }

  // --- The required answers of calls (calls.cpp)
  scheduled schedule(const plan& asked, thread_id by);
  // Returns the first of several timers, and how many are scheduled.
  std::pair<timer_id, std::size_t> schedule_bulk(std::span<const nanoseconds_t> deadlines, const plan& asked,
                                                 thread_id by);
  cancel_result cancel(timer_id id);
  std::size_t cancel_bulk(std::span<const timer_id> ids);
  bool restart(timer_id id, nanoseconds_t deadline, thread_id by);
  // Called inside a run of the timer.
  void rearm(timer_id id, nanoseconds_t deadline);
  void close() { closed_ = true; }
  // Returns the reasons for which a schedule call must be refused.
  std::set<errc> reasons_against(const plan& asked) const;
  // To be called outside callbacks: inside one, stop() is refused with called_from_callback, and nothing changes.
  std::map<timer_id, returned_timer> stop();

  group_id make_group();
  void pause(group_id id);
  void resume(group_id id);
  void cancel_all(group_id id);
  void end_group(group_id id);

  // --- Questions (answers.cpp)
  bool is_closed() const { return closed_ || stopped_; }
  bool is_stopped() const { return stopped_; }
  bool pending(timer_id id) const;
  std::optional<nanoseconds_t> deadline(timer_id id) const;
  std::optional<nanoseconds_t> remaining(timer_id id) const;
  std::size_t pending() const;
  std::size_t pending_in(group_id id) const;
  std::map<timer_id, listed_timer> list_pending() const;
  // The errors with which a coroutine may go on when its timer has ended without its run.
  std::set<errc> reasons_to_wake(timer_id id) const;
  counts metrics() const;
  counts metrics(std::uint32_t label) const;
  // Returns the true deadline; an implementation may announce an earlier one.
  std::optional<nanoseconds_t> next_deadline() const;
  // Whether the driver would have to fire something if time were `end`.
  bool has_due_by(nanoseconds_t end) const;
  // Checks whether next_deadline() may give that answer.
  void answered_next_deadline(std::optional<nanoseconds_t> answer);

  // --- Events, in a pass and outside (pass.cpp)
  void begin_pass(const pass& begun);
  // Takes the returned value of poll(). Without poll() there is none. Returns how many callbacks ran inside the pass.
  std::size_t end_pass(std::optional<std::size_t> returned);
  // Whether the timer's turn may come in the pass under way, as far as that pass has come.
  bool may_have_turn(timer_id id) const;
  // The callback of a timer begins on thread `on`. Returns what it must report, and checks whether it may begin.
  run_report begin_run(timer_id id, thread_id on);
  void begin_run(timer_id id, thread_id on, const run_report& seen);
  // The callback has returned or thrown.
  void end_run(timer_id id, thread_id on, bool threw);
  void captures_destroyed(timer_id id);

  // --- Executors (hand_over.cpp)

  // Returns the timer that execute() is called with: the next one with that tag.
  timer_id next_offer(unsigned executor, std::uint64_t tag);
  void offered(timer_id id, unsigned executor);
  void taken(timer_id id);
  // An executor has refused the timer. If it is run inline, begin_run() follows, and if it is dropped,
  // captures_destroyed().
  void refused(timer_id id);
  // Returns the ticket of a timer, for called() and let_go().
  std::uint64_t ticket(timer_id id) const { return at(id).ticket; }
  // A ticket is called. Returns whether the callback must begin now.
  bool called(timer_id id, std::uint64_t ticket);
  void let_go(timer_id id, std::uint64_t ticket, thread_id on);

  const timer& at(timer_id id) const { return timers_[id - 1]; }
  std::size_t made() const { return timers_.size(); }
  // Returns when the driver must look at the timer.
  nanoseconds_t ready_at(const timer& t) const;
  rules broke;

 private:
  timer& at(timer_id id) { return timers_[id - 1]; }
  group* group_of(const timer& t) { return t.asked.group == no_group ? nullptr : &groups_[t.asked.group - 1]; }
  const group* group_of(const timer& t) const { return const_cast<engine*>(this)->group_of(t); }
  std::size_t places_taken() const;
  timer& make(const plan& asked);
  void arm(timer& t, thread_id by);
  void end(timer& t, ending how);
  nanoseconds_t due(const timer& t) const;
  bool is_stopped_by_its_group(const timer& t) const;

  void sweep();
  void has_swept();
  bool waits_in_pass(const timer& t) const;
  // Orders by lane, deadline and arming.
  std::tuple<int, nanoseconds_t, std::uint64_t> turn_key(const timer& t) const {
    return {-int{t.asked.lane}, due(t), t.order};
  }
  static bool goes_before(const timer& a, nanoseconds_t due_a, const timer& b, nanoseconds_t due_b);
  void take_turn(timer& t);
  void take_silent_turns_before(const timer* t);
  // Returns the timer whose turn comes first among those for which wanted(timer) holds, or 0 if there is none.
  // O(timers).
  template <class Wanted>
  timer_id first_turn(Wanted&& wanted) const;
  nanoseconds_t due_at_start(const timer& t) const;
  run_report foresee_run(timer& t);
  period_run begin_period(timer& t, nanoseconds_t armed);
  void arm_next_period(timer& t, thread_id on);
  bool is_stale(const timer& t) const;
  // Returns whether the timer must be dropped because it is stale.
  bool is_too_stale(const timer& t) const { return t.asked.stale == stale_policy::drop && is_stale(t); }
  std::vector<counts*> counts_of(const timer& t);
  bool keeps_for_retry(unsigned executor) const;
  const timer* first_for_retry(unsigned executor);
  bool is_behind_refused(const timer& t) const;
  bool hands_over() const { return made_with_.executors.size() != 1 || !made_with_.executors.front().is_inline; }
  bool goes_back(timer& t);
  const timer* take_back_for_retry(unsigned executor);
  void look_at_refused();
  void offer_again_until(timer_id next);
  void hand_over(timer& t);
  void keep_for_retry(timer& t);
  void drop_run(timer& t, thread_id on);

  settings made_with_;
  nanoseconds_t now_;
  bool closed_ = false, stopped_ = false;
  std::deque<timer> timers_;
  std::set<timer_id> live_;  // timers that have not ended
  std::deque<group> groups_;
  std::size_t members_made_ = 0;
  std::uint64_t armings_ = 0, tickets_ = 0, passes_ = 0;
  pass pass_;
  timer_id called_ = 0;  // its ticket was called, or the engine runs it after a refusal: its callback may begin
  // Timers that an executor has refused, and those that wait behind them.
  struct kept {
    timer_id id;
    std::uint64_t ticket;
  };
  bool still_waits(const kept& of) const;
  std::map<unsigned, std::deque<kept>> retries_;
  counts all_;
  std::map<std::uint32_t, counts> of_label_;
};

template <class Wanted>
timer_id engine::first_turn(Wanted&& wanted) const {
  const timer* first = nullptr;
  for (const timer_id id : live_) {
    const timer& each = at(id);
    if (!wanted(each) || !waits_in_pass(each)) continue;
    if (first == nullptr || turn_key(each) < turn_key(*first)) first = &each;
  }
  return first == nullptr ? 0 : first->id;
}

}  // namespace detent::spec
