// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/attempts.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace detent::durable::detail {

// Decides when timers may start that may have ended a process, so that only the one that did is given up.
//
// Nothing is written to start a run as long as no term is lost. After a term that was not given back, its node may have
// died of a timer that it had in hand, so runs that were due by then are careful. A careful run is marked in the store
// before it starts. A run that bears a mark has been started and has not come back: it is a suspect. A suspect starts
// when no other careful run is on trial, and while it is on trial no other one starts. A run that goes on for longer
// than its trial has passed it, and the start that counted as lost is taken back. The mark stays, and with each mark
// the next trial is twice as long, so that a run that kills late is found as well. A run that has used up its attempts
// by starts that were lost in trials is given up. Its last attempt is made when those that have passed have also shown
// for a while that they do no harm. So its process has died of it, unless a run that is not careful has killed the
// process at this very moment.
//
// Runs that are not careful do not concern this class. One thread, which gives the time; without a clock or a store.
class careful_runs {
 public:
  using time = std::chrono::nanoseconds;  // since any fixed moment

  struct limits {
    std::size_t at_once = 64;                                    // that are no suspects, on trial; at least 1
    std::chrono::nanoseconds trial = std::chrono::seconds(1);    // of a run with one mark or none
    std::chrono::nanoseconds settle = std::chrono::seconds(10);  // after the trial, before others' last attempts
  };
  explicit careful_runs(const limits& how) noexcept : limits_(how) {}
  careful_runs() noexcept : careful_runs(limits{}) {}

  // Whether a timer must ask here before it starts. `was_due`: it was due by the time of a take that found the former
  // term abandoned.
  static constexpr bool is_careful(std::uint32_t attempt, bool was_due) noexcept {
    return was_due || attempts::of(attempt).is_suspect();
  }

  // A careful run is due. `id` is the record's, and `attempt`, which is as the store has it.
  void add(std::uint64_t id, std::uint32_t attempt, std::uint32_t max_attempts);
  // The handler of that run has been called.
  void begun(std::uint64_t id, time at);
  // The run has ended, or does not start any more. Also for a run that is not known here.
  void over(std::uint64_t id);

  struct mark {
    std::uint64_t id;
    std::uint32_t attempt;  // to be written: a move to its own due time
    bool starts;            // it is to start once the store has this; else it runs, and has passed
    friend bool operator==(const mark&, const mark&) = default;
  };
  struct decision {
    std::vector<mark> marks;              // in this order
    std::vector<std::uint64_t> given_up;  // to be killed; they are over
  };
  // To be called after any of the others, and at wakes_at().
  decision decide(time now);
  // When a trial ends, or a run has settled; time::max(): nothing happens by itself.
  time wakes_at() const noexcept { return ends_.empty() ? time::max() : ends_.begin()->first; }

  std::size_t waiting() const noexcept { return waiting_.size() + last_attempts_.size(); }
  std::size_t on_trial() const noexcept { return on_trial_; }

 private:
  enum class stage : std::uint8_t { waits, is_on_trial, has_passed, has_settled };
  struct run {
    attempts was;
    bool on_last_attempt = false;
    std::uint64_t turn = 0;
    stage at = stage::waits;
    time ends_at = time::max();  // its stage

    bool starts_alone() const noexcept { return on_last_attempt || was.is_suspect(); }
  };
  // The most suspicious run first; of equal ones, the one that came first.
  using order = std::set<std::tuple<std::int64_t, std::int64_t, std::uint64_t, std::uint64_t>>;

  static order::value_type turn_of(std::uint64_t id, const run& its) noexcept;
  order& queue_of(const run& its) noexcept { return its.on_last_attempt ? last_attempts_ : waiting_; }
  time trial_of(const run& its) const noexcept;
  void go_to(std::uint64_t id, run& its, stage next, time until);
  void end_stages(time now, decision& to);
  void start(std::uint64_t id, decision& to);

  const limits limits_;
  std::unordered_map<std::uint64_t, run> runs_;
  order waiting_, last_attempts_;
  std::set<std::pair<time, std::uint64_t>> ends_;  // of trials and settling
  std::size_t on_trial_ = 0;
  std::size_t settling_ = 0;
  bool lone_trial_ = false;
  std::vector<std::uint64_t> to_give_up_;
  std::uint64_t added_ = 0;
};

}  // namespace detent::durable::detail
