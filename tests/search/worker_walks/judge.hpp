// SPDX-License-Identifier: MIT
// The judge of a walk beside a worker. Each call, run, pass and sleep is reported to it, and it ends the process if one
// of them breaks a promise (docs/evidence/GUARANTEES.md). Calls have a beginning and an end, and an event in between
// may see either side of them.
#pragma once

#include "search/worker_walks/program.hpp"

#include <detent/error.hpp>
#include <detent/executor.hpp>
#include <detent/firing.hpp>
#include <detent/metrics.hpp>
#include <detent/options.hpp>
#include <detent/pending_timer.hpp>
#include <detent/timer.hpp>
#include <detent/unfired_timer.hpp>

#include "spec/counts.hpp"
#include "spec/period.hpp"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace detent::worker_walks {

// Says what was broken, and ends the process.
[[noreturn, gnu::format(printf, 1, 2)]] void fault(const char* text, ...);

class judge {
 public:
  explicit judge(const program& walk)
      : tick_(walk.tick),
        begin_(walk.begin),
        capacity_(walk.capacity),
        executor_(walk.executor),
        keeps_order_(walk.orders) {}

  // A deadline in a group is of the group's time, which the judge reads at one moment, and periods begin at the time of
  // the call. No thread may move, and time may not go on, until it has been made.
  bool is_at_one_moment(const call& each) const;

  // --- Calls of any thread. Other reports may come between begin_ and end_ of one call.
  void begin_arm(const call& of, std::uint32_t timer, ns at, unsigned thread);
  void end_arm(std::uint32_t timer, detent::timer handle);
  // The call has returned no handle for it, for this reason; errc{} if a bulk call has left it out.
  void refuse(std::uint32_t timer, errc reason);
  // A call asked for `count` places and took `taken`. events() was `since` when it began.
  void check_places(std::uint64_t since, std::size_t count, std::size_t taken) const;
  std::uint64_t events() const { return events_; }
  // Returns whether it has a handle that calls may use.
  bool has_handle(std::uint32_t timer) const { return timer < all_.size() && static_cast<bool>(all_[timer].handle); }
  bool is_new(std::uint32_t timer) const { return timer >= all_.size() || all_[timer].now == phase::unused; }
  detent::timer handle(std::uint32_t timer) const { return all_[timer].handle; }
  void begin_cancel(std::uint32_t timer);
  void end_cancel(std::uint32_t timer, cancel_result answer);
  // For a call with several timers, which has answered that it cancelled `answer` of them.
  void end_cancel_many(std::span<const std::uint32_t> asked, std::size_t answer);
  void begin_restart(std::uint32_t timer, ns at);
  void end_restart(std::uint32_t timer, ns at, unsigned thread, bool answer);
  void pause(unsigned group);
  void resume(unsigned group);
  void cancel(unsigned group);
  // `at_once` says that no other thread moves before the members are cancelled.
  void begin_end_of(unsigned group, bool at_once);
  // `within` is the run in which the call was made.
  void end_end_of(unsigned group, std::optional<std::uint32_t> within);
  unsigned group_of(std::uint32_t timer) const { return all_[timer].group; }
  void begin_close() { is_closing_ = true; }
  void end_close() { is_closed_ = true; }
  void begin_stop() { is_closing_ = is_stopping_ = true; }
  // A question begins with how often each timer has changed so far, and ends with the engine's answer.
  using before = std::vector<std::uint64_t>;
  before begin_question() const;
  void answer(const before& asked, std::uint32_t timer, bool pending, std::optional<time_point> deadline) const;
  void answer(const before& asked, const std::vector<pending_timer>& listed) const;
  // The judge's own counts: of all timers if `label` is 0.
  const spec::counts& counted(unsigned label) const { return counts_[label]; }
  // The engine's counts while others go on: they contain all that was counted when the question began.
  void answer(const spec::counts& asked, const engine_metrics& now) const;
  void check_at_rest(unsigned label, const engine_metrics& now) const;
  // From here on captures are destroyed with what stop() has returned, or with the engine.
  void begin_end() { is_ending_ = true; }

  // --- Executors (judge_hand_over.cpp)
  // Identifies one hand-over.
  struct ticket {
    std::uint32_t index = 0;
    std::uint64_t word = 0;
    bool operator==(const ticket&) const = default;
  };
  static ticket ticket_of(const fired_timer& work);
  // The executor is offered it, and then may refuse it or hold it for later.
  void offer(const ticket& of, const fired_timer& work);
  void refuse_offer(const ticket& of);
  void hold(const ticket& of) { held_.push_back(of); }
  // The thread calls it, or lets it go uncalled if not `runs`.
  void begin_call(unsigned thread, const ticket& of, bool runs);
  void end_call(unsigned thread);
  bool is_calling(unsigned thread) const { return calls_[thread].is_open; }
  bool others_call(unsigned thread) const;

  // --- Runs, on the thread of that number. The worker is 0.
  void begin_run(unsigned thread, std::uint32_t timer, const firing& reported);
  // `at` is the time for which the callback has re-armed the timer, if it has.
  void end_run(unsigned thread, std::uint32_t timer, std::optional<ns> at);
  // Called right after end_run().
  void throws(unsigned thread, std::uint32_t timer);
  void note_failure(unsigned thread, const failed_callback& reported);

  // --- The worker
  void captures_destroyed(std::uint32_t timer);
  // The worker begins to look for due timers, or waits for one that it knows, by its last reading of the clock.
  void begin_pass(ns reading);
  // The worker waits, and has read the clock once more. If that ends the wait, all that is due by this reading fires in
  // its order. With an executor, what it has refused comes first.
  void look_again(ns reading) {
    if (executor_ == 0) pass_reading_ = reading;
  }
  void fall_asleep(ns until);
  // The worker has been waiting since then, and no thread has rung.
  void wait(ns since) const;
  // All calls are over, and the worker sleeps.
  void sleep_on(ns until) const;
  void end();
  // To be called when the engine says that no timer is pending.
  void check_empty() const;
  // Checks, once all calls and runs are over, what stop() has returned.
  void end_by_stop(const std::vector<unfired_timer>& returned);
  static std::uint64_t tag_of(std::uint32_t timer) { return timer + 1u; }
  std::uint64_t runs() const { return runs_; }
  bool is_periodic(std::uint32_t timer) const { return all_[timer].rate.kind != spec::repetition::once; }
  std::uint64_t runs_of(std::uint32_t timer) const { return all_[timer].runs; }
  std::uint64_t passes() const { return passes_; }
  // When the next one is due; forever: none is, nor will be.
  ns next() const;

 private:
  enum class phase : std::uint8_t { unused, arming, pending, cancelled_with_group, runs, ended };
  struct record {
    phase now = phase::unused;
    unsigned lane = 0, group = 0, thread = 0, label = 0;
    std::uint64_t changes = 0;  // calls, runs and ends
    std::uint64_t tag = 0;
    ns kept = 0, slack = 0;  // the deadline, in its group's time
    ns least = forever;      // the earliest that calls under way may give it
    std::uint64_t order = 0;
    unsigned doubts = 0;  // calls under way
    unsigned called = 0;  // how many of its tickets are being called or let go
    bool again = false;   // it was handed over before this pass
    // The deadline of a fixed delay is `kept` or later, because the engine reads the clock after the end of the run.
    bool floats = false;
    std::optional<ns> late;  // max_lateness
    bool runs_stale = false;
    bool owns = false, destroyed = false;  // its captures
    bool refuses = false;                  // it was asked for after close()
    bool over = false;                     // its group has ended
    bool used_up = false;                  // it has had all its runs
    std::uint32_t runs_left = 0;
    bool accepted = false;        // by the worker, when the pass began
    bool vague = false;           // its state is unknown: it runs at most once more
    bool must_run = false;        // a call has answered that it runs
    bool grace = false;           // its start may have been decided before it was cancelled or paused
    bool ended_in_doubt = false;  // cancelled while another call was under way
    bool last = false;            // it is cancelled in its run
    bool left = false;            // with its group
    bool moved = false;           // restarted since it was armed
    std::uint64_t ran = 0;        // when, in order of all runs
    std::uint64_t runs = 0;
    spec::periods rate;
    detent::timer handle;
  };
  struct group_record {
    bool paused = false, turned = false, ends = false;
    ns behind = 0, own = 0;
  };

  static constexpr ns forever = INT64_MAX;
  ns due(const record& of, ns kept) const;
  ns due(const record& of) const { return due(of, of.kept); }
  ns filing(const record& of) const;
  bool is_plain(const record& of) const;
  bool is_certain(const record& of) const { return of.now == phase::pending && of.doubts == 0 && !of.vague; }
  // It is certain, and the engine has it, so the driver has to look at it.
  bool is_sure(const record& of) const { return is_certain(of) && !of.floats && of.called == 0 && !is_handed_over(of); }
  // Returns whether the call of a ticket may have decided its start.
  bool may_start(const record& of) const { return of.called != 0 && of.now != phase::runs; }
  // Returns its state word, or 0 once another timer has its place.
  std::uint64_t word_of(const record& of) const;
  bool is_handed_over(const record& of) const;
  bool is_held(const record& of) const;
  // It was handed over, but the executor does not have it: it waits to be offered, perhaps again.
  bool waits_for_offer(const record& of) const { return of.called == 0 && is_handed_over(of) && !is_held(of); }
  bool is_closing(std::uint32_t timer) const;
  std::optional<std::uint32_t> find(const ticket& of) const;
  bool is_too_stale(const record& of) const;
  void close_run(unsigned thread);
  spec::period_run begin_period(record& started, ns at);
  void arm_again(record& ended, unsigned thread);
  struct call_under_way;
  // Returns whether refused timers wait in the engine for another offer.
  bool keeps_refused() const;
  void end_refused();
  bool may_start_in_group(const record& of) const;
  void check_ticket(unsigned thread, std::uint32_t timer) const;
  void end_drop(record& of, const call_under_way& its, unsigned thread);
  void check_early(std::uint32_t timer) const;
  void check_order(std::uint32_t timer) const;
  void check_report(std::uint32_t timer, const firing& reported);
  void forget_grace();
  void touch(record& called);
  void change(record& changed);
  template <class Count>
  void count(const record& of, Count&& add) {
    add(counts_[0]);
    if (of.label != 0) add(counts_[of.label]);
  }
  // Returns whether it was pending, or was not, during the whole question; none if that cannot be known.
  std::optional<bool> was_pending(const before& asked, std::uint32_t timer) const;

  const ns tick_, begin_;
  const std::size_t capacity_;
  const unsigned executor_;
  const bool keeps_order_;
  std::uint64_t events_ = 0, left_out_ = 0;
  std::array<spec::counts, labels + 1> counts_{};
  std::deque<record> all_;
  std::array<group_record, groups + 1> groups_{};
  std::uint64_t orders_ = 0, runs_ = 0, passes_ = 0;
  // In higher lanes: runs in this pass; and calls in it and in the one before, which may have a turn come to nothing.
  int higher_turns_ = 0, higher_calls_ = 0, calls_before_ = 0;
  bool is_closing_ = false, is_closed_ = false, is_stopping_ = false, is_ending_ = false;
  template <class T>
  using of_each_thread = std::array<T, producers + 1>;
  of_each_thread<std::optional<std::uint32_t>> thrown_;  // and on_error has not heard of it
  // Their runs have ended for the program, but perhaps not for the engine.
  of_each_thread<std::optional<std::uint32_t>> closing_;
  struct call_under_way {
    bool is_open = false, runs = false;
    bool is_valid = false;   // it was the ticket of the arming that stood when the call began
    bool may_start = false;  // and its group let it start then
    bool by_engine = false;  // the engine calls it or lets it go, after a refusal
    std::optional<std::uint32_t> timer;
    std::uint64_t changes = 0;
    ns began = 0;
  };
  of_each_thread<call_under_way> calls_;
  std::vector<ticket> held_;
  // Drops of timers that other calls may have ended first, and drops of timers whose schedule call had not returned.
  std::uint64_t unclear_drops_ = 0, blind_drops_ = 0;
  bool unclear_misses_ = false;
  ns pass_reading_ = INT64_MIN, last_run_ = INT64_MIN;  // of the last pass; when the last run in it began
};

}  // namespace detent::worker_walks
