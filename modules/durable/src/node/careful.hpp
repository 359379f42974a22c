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

// Decides when timers that may have ended a process may start, so that only the timer that did is given up.
//
// As long as no term is lost, nothing is written to start a run. If a term was not given back, its node may have died
// of a timer that it had in hand, so runs that were due by then are careful. A careful run is marked in the store
// before it starts. A run that already bears a mark is a suspect: it was started and did not come back. A suspect
// starts only when no other careful run is on trial, and no other careful run starts during its trial. A run that
// outlives its trial has passed it, and the start that counted as lost is taken back. The mark stays, and each mark
// doubles the length of the next trial, so that a run that kills late is found as well. A run that has used up its
// attempts by starts that were lost in trials is given up. Its last attempt is made only after the runs that have
// passed have also been harmless for a while. So the process died of this run, unless a run that is not careful killed
// it at that very moment.
//
// This class does not deal with runs that are not careful. It is used by one thread, which passes the time to it, and
// it needs neither a clock nor a store.
class careful_runs {
 public:
  using time = std::chrono::nanoseconds;  // since a fixed moment

  struct limits {
    std::size_t at_once = 64;                                    // runs on trial that are no suspects; at least 1
    std::chrono::nanoseconds trial = std::chrono::seconds(1);    // of a run that has at most one mark
    std::chrono::nanoseconds settle = std::chrono::seconds(10);  // between the trial and others' last attempts
  };
  explicit careful_runs(const limits& how) noexcept : limits_(how) {}
  careful_runs() noexcept : careful_runs(limits{}) {}

  // Returns whether a timer must ask here before it starts. `was_due` says that it was due when a take found the former
  // term abandoned.
  static constexpr bool is_careful(std::uint32_t attempt, bool was_due) noexcept {
    return was_due || attempts::of(attempt).is_suspect();
  }

  // Adds a careful run that is due. `id` is the record's id, and `attempt` is the record's attempt as the store has it.
  void add(std::uint64_t id, std::uint32_t attempt, std::uint32_t max_attempts);
  // The handler of that run has been called.
  void begun(std::uint64_t id, time at);
  // The run has ended, or will not start. The run need not be known here.
  void over(std::uint64_t id);

  struct mark {
    std::uint64_t id;
    std::uint32_t attempt;  // to be written as a move to the same due time
    bool starts;            // true: it is to start once the store has the mark; false: it runs, and has passed
    friend bool operator==(const mark&, const mark&) = default;
  };
  struct decision {
    std::vector<mark> marks;              // in this order
    std::vector<std::uint64_t> given_up;  // to be killed; this class has forgotten them
  };
  // Must be called after each call of another function, and at wakes_at().
  decision decide(time now);
  // The time at which the next trial ends or the next run has settled. It is time::max() if neither is to come.
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
    time ends_at = time::max();  // of its stage

    bool starts_alone() const noexcept { return on_last_attempt || was.is_suspect(); }
  };
  // The most suspicious run comes first, and runs that are equally suspicious stay in the order of their arrival.
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
  std::set<std::pair<time, std::uint64_t>> ends_;  // ends of trials and of settling
  std::size_t on_trial_ = 0;
  std::size_t settling_ = 0;
  bool lone_trial_ = false;
  std::vector<std::uint64_t> to_give_up_;
  std::uint64_t added_ = 0;
};

}  // namespace detent::durable::detail
