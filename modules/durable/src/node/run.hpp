// SPDX-License-Identifier: MIT
#pragma once

#include "careful.hpp"
#include "finish_line.hpp"
#include "held_term.hpp"
#include "inbox.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable.hpp>
#include <detent/durable_store.hpp>
#include <detent/durable_tokens.hpp>
#include <detent/timer.hpp>

#include <utility>

namespace detent::durable::detail {

// One timer in this node's hand, and its run. Only the thread of the run and job::later change it.
class run : public std::enable_shared_from_this<run> {
 public:
  run(record what, std::shared_ptr<const held_term> under, const handling* by, std::shared_ptr<finish_line> to)
      : record_(std::move(what)),
        term_(std::move(under)),
        by_(by),
        line_(std::move(to)),
        is_careful_(careful_runs::is_careful(record_.attempt, record_.due <= term_->careful_upto())),
        job_(*this) {}

  const record& what() const noexcept { return record_; }
  const held_term& term() const noexcept { return *term_; }
  const handling* by() const noexcept { return by_; }  // null if this node has no handler for it

  // Called on the engine's executor when the timer is due.
  void fire() noexcept;
  // Called on the same executor when the run was admitted: starts the run, on its handler's executor if there is one.
  void start() noexcept;
  // Called once, with the outcome of the run.
  void finish(const outcome& how) noexcept;
  void detach() noexcept;
  void end_detached(const outcome& how) noexcept;
  // The engine destroys the timer that was to fire this run and has not fired it.
  void drop() noexcept;
  // Called by the thread that writes. Returns true if the run will not fire, and false if it fires or has fired.
  bool withdraw(timer& armed);
  // See class careful_runs.
  bool is_careful() const noexcept { return is_careful_; }
  // Called by the thread that writes, which alone lets a careful run start once it is due. Returns false if it was
  // withdrawn.
  bool claim() noexcept;
  // The run's place in the store's journal, if there is one and the handler has been called.
  std::optional<run_journal::place> listed_at() const noexcept { return place_; }
  // Returns whether its handler has been called.
  bool has_begun() const noexcept { return begun_.load(base::relaxed); }  // relaxed: see execute()
  // The run whose handler the calling thread is in, or null. current() is the same, but null if that run was detached.
  static run* innermost() noexcept;
  // The run in whose handler this run's handler was called, or null. Used by the thread that runs it.
  run* outer() const noexcept { return outer_; }
  static run* current() noexcept;
  // Called within its handler, which destroys the timers: the run counts as done, and the handler's result is ignored.
  // Keeps `handlers` alive until the run ends.
  void end_early(std::shared_ptr<const void> handlers) noexcept;
  // Called within its handler. Adds an operation about its own timer, which is carried out with its end. A caller's
  // patience counts from then on.
  void ask_with_end(pending_change&& what);
  // See class job. Any thread.
  std::string token();
  bool finish_in(pg_conn* in);
  finish_line& line() const noexcept { return *line_; }
  std::shared_ptr<const job> as_job() { return {shared_from_this(), &job_}; }

 private:
  friend class finish_line;

  void execute() noexcept;
  void not_executed() noexcept;
  outcome call() noexcept;
  std::string make_token(const char* asks);
  void note_end(const end_request& how) const;
  std::vector<pending_change> take_asked() noexcept;

  const record record_;
  const std::shared_ptr<const held_term> term_;
  const handling* const by_;
  const std::shared_ptr<finish_line> line_;  // a detached run may outlive the node
  const bool is_careful_;
  job job_;
  enum class state : std::uint8_t { armed, waits, fired, withdrawn };  // only a careful run waits
  base::atomic<state> state_{state::armed};
  base::atomic<bool> begun_{false};
  bool detached_ = false;  // used by the thread that runs it
  base::atomic<bool> detached_ended_{false};
  enum class ends : std::uint8_t { here, maybe_elsewhere, has_ended };  // maybe_elsewhere: a token of it was given out
  base::atomic<ends> ends_{ends::here};
  run* outer_ = nullptr;                         // used by the thread that runs it
  bool ended_early_ = false;                     // used by the thread that runs it
  std::shared_ptr<const void> keeps_ = nullptr;  // used by the thread that runs it
  std::optional<run_journal::place> place_;
  std::vector<pending_change> asked_;
  std::uint64_t held_as_ = 0;  // its place in the line or 0; guarded by the line's lock
};

// A function that the engine or an executor gets. It may destroy the function instead of calling it.
template <class T, void (T::*called)() noexcept, void (T::*dropped)() noexcept>
class called_or_dropped {
 public:
  explicit called_or_dropped(std::shared_ptr<T> what) noexcept : what_(std::move(what)) {}
  called_or_dropped(called_or_dropped&&) noexcept = default;
  called_or_dropped& operator=(called_or_dropped&&) = delete;
  ~called_or_dropped() {
    if (what_) ((*what_).*dropped)();
  }
  void operator()() noexcept {
    if (const std::shared_ptr<T> its = std::exchange(what_, nullptr)) ((*its).*called)();
  }

 private:
  std::shared_ptr<T> what_;
};
using armed_run = called_or_dropped<run, &run::fire, &run::drop>;
using call_of_next = called_or_dropped<finish_line, &finish_line::start_next, &finish_line::does_not_ask>;

}  // namespace detent::durable::detail
