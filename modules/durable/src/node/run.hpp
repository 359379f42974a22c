// SPDX-License-Identifier: MIT
#pragma once

#include "bell.hpp"
#include "held_term.hpp"

#include <detent/durable.hpp>
#include <detent/durable_store.hpp>

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
  enum class as : std::uint8_t { done, retry, dead, lapsed };
  std::shared_ptr<run> what;
  as how = as::done;
  std::optional<duration> after;
  std::string why;
};

// Where runs go that are over. Any thread.
class finish_line {
 public:
  explicit finish_line(std::shared_ptr<bell> of) noexcept : bell_(std::move(of)) {}
  void push(finished what);
  std::vector<finished> take_all();
  std::size_t size() const;

 private:
  const std::shared_ptr<bell> bell_;
  mutable std::mutex lock_;
  std::vector<finished> waiting_;
};

// What runs a timer of that name on this node.
struct handling {
  timers::handler_function call;
  handler_options how;
};

// One timer in this node's hand, and its run. Immutable but for what its thread and job::later do.
class run : public std::enable_shared_from_this<run> {
 public:
  run(record what, std::shared_ptr<const held_term> under, const handling* by, std::shared_ptr<finish_line> to)
      : record_(std::move(what)), term_(std::move(under)), by_(by), line_(std::move(to)), job_(*this) {}

  const record& what() const noexcept { return record_; }
  const held_term& term() const noexcept { return *term_; }
  const handling* by() const noexcept { return by_; }  // null: this node has no handler for it

  // On the engine's executor, when it is due. Does not run where the term is over.
  void fire() noexcept;
  // Once: what became of it.
  void finish(const outcome& how) noexcept;
  void detach() noexcept { detached_ = true; }
  std::shared_ptr<const job> as_job() { return {shared_from_this(), &job_}; }

 private:
  outcome call() noexcept;

  const record record_;
  const std::shared_ptr<const held_term> term_;
  const handling* const by_;
  const std::shared_ptr<finish_line> line_;  // a detached run may outlive the node
  job job_;
  bool detached_ = false;  // by the thread that runs it
};

}  // namespace detent::durable::detail
