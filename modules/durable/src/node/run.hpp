// SPDX-License-Identifier: MIT
#pragma once

#include "bell.hpp"
#include "held_term.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable.hpp>
#include <detent/durable_store.hpp>
#include <detent/timer.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent::durable::detail {

class run;

// A run that is over, on its way to the thread that writes its end.
struct finished {
  enum class as : std::uint8_t { done, retry, dead, lapsed, dropped };
  std::shared_ptr<run> what;
  as how = as::done;
  std::optional<duration> after;
  std::string why;
};

// Where runs go that are over; and where due ones wait, in their order, while too many ends are not in the store. Any
// thread, but where it says otherwise.
class finish_line {
 public:
  finish_line(std::shared_ptr<bell> of, std::size_t most_unwritten) noexcept
      : bell_(std::move(of)), most_unwritten_(most_unwritten) {}
  void push(finished what);
  std::vector<finished> take_all();
  std::size_t size() const;

  // Whether a due run may start, and until done() with it holds up the end. False: it waits here, and next() hands it
  // out.
  bool admit(std::shared_ptr<run> what);
  void detached();
  void done();
  // Whether it waited here. It does not start any more.
  bool withdraw(run& what);

  // By the thread that writes: so many of those that it took are not in the store. Returns how many calls of next() the
  // executor is to make, beside those that it has yet to make; does_not_ask(): so many were refused.
  std::size_t wrote_all_but(std::size_t count);
  void does_not_ask(std::size_t count);
  // On the executor: the first one that waits, if there is room for its end; else null.
  std::shared_ptr<run> next();

  // By the thread that writes, as the last, and again while it is false: something runs, or has an end to write, if
  // that matters still. Then nothing starts.
  bool close(bool ends_matter);

 private:
  std::size_t room() const;
  run* first_held();

  const std::shared_ptr<bell> bell_;
  const std::size_t most_unwritten_;
  mutable std::mutex lock_;
  std::vector<finished> waiting_;
  std::size_t taken_ = 0;                  // and not written
  std::deque<std::shared_ptr<run>> held_;  // and some that were withdrawn
  std::size_t asked_ = 0;                  // calls of next() that are to come
  std::size_t running_ = 0;                // handlers, and detached runs without an answer
  bool closed_ = false;
};

// The handler of a timer of that name on this node, and its options.
struct handling {
  timers::handler_function call;
  handler_options how;
};

// One timer in this node's hand, and its run. Only its thread and job::later change it.
class run : public std::enable_shared_from_this<run> {
 public:
  run(record what, std::shared_ptr<const held_term> under, const handling* by, std::shared_ptr<finish_line> to)
      : record_(std::move(what)), term_(std::move(under)), by_(by), line_(std::move(to)), job_(*this) {}

  const record& what() const noexcept { return record_; }
  const held_term& term() const noexcept { return *term_; }
  const handling* by() const noexcept { return by_; }  // null: this node has no handler for it

  // Called on the engine's executor, when it is due.
  void fire() noexcept;
  // Called there too, when it was admitted. Does not run where the term is over.
  void start() noexcept;
  // Called once, with the outcome of the run.
  void finish(const outcome& how) noexcept;
  void detach() noexcept;
  void end_detached(const outcome& how) noexcept;
  // The engine destroys what was to fire it, and has not.
  void drop() noexcept;
  // By the thread that writes: it does not fire any more. False: it does, or has.
  bool withdraw(timer& armed);
  std::shared_ptr<const job> as_job() { return {shared_from_this(), &job_}; }

 private:
  friend class finish_line;

  outcome call() noexcept;

  const record record_;
  const std::shared_ptr<const held_term> term_;
  const handling* const by_;
  const std::shared_ptr<finish_line> line_;  // a detached run may outlive the node
  job job_;
  enum class state : std::uint8_t { armed, fired, withdrawn };
  base::atomic<state> state_{state::armed};
  bool detached_ = false;  // by the thread that runs it
  bool is_held_ = false;   // the line's, under its lock
};

// The engine's hold on a run.
class armed_run {
 public:
  explicit armed_run(std::shared_ptr<run> what) noexcept : what_(std::move(what)) {}
  armed_run(armed_run&&) noexcept = default;
  armed_run& operator=(armed_run&&) = delete;
  ~armed_run() {
    if (what_) what_->drop();
  }
  void operator()() const { what_->fire(); }

 private:
  std::shared_ptr<run> what_;
};

// The engine's hold on a call of next().
class call_of_next {
 public:
  explicit call_of_next(std::shared_ptr<finish_line> of) noexcept : line_(std::move(of)) {}
  call_of_next(call_of_next&&) noexcept = default;
  call_of_next& operator=(call_of_next&&) = delete;
  ~call_of_next() {
    if (line_) line_->does_not_ask(1);
  }
  void operator()() {
    if (const std::shared_ptr<run> first = std::exchange(line_, nullptr)->next()) first->start();
  }

 private:
  std::shared_ptr<finish_line> line_;
};

}  // namespace detent::durable::detail
