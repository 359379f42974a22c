// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"
#include "careful.hpp"
#include "run.hpp"

#include <detent/durable_store.hpp>

#include <deque>
#include <map>
#include <unordered_map>

namespace detent::durable::detail {

class writer;

// Marks this node's careful runs, and then starts them or gives them up. Used by the thread that talks to the store.
class trials {
 public:
  explicit trials(const clocks& by) noexcept : clock_(by) {}

  void due(const std::shared_ptr<run>& what);
  void begun(const run& what);
  // The run is over. It need not have been careful.
  void over(const run& what);
  // The store has the mark; or it never will, because the timer has changed or the term is over.
  void settled(const marked& what, bool stored);

  void work(writer& by);
  // The node ends. Runs that are marked and wait for their turn do not start, and their marks are taken back.
  void withdraw(writer& by);
  // A time by elapsed().
  std::chrono::nanoseconds wakes_at() const noexcept { return runs_.wakes_at(); }

 private:
  struct known {
    std::weak_ptr<run> what;
    const handling* by;
  };
  // A handler with a limit gets only as many careful runs in as it may run. More of them would wait for the handler in
  // places that runs of other handlers could use.
  struct entrance {
    std::size_t inside = 0;
    std::deque<std::weak_ptr<run>> outside = {};
  };

  void let_in(const std::shared_ptr<run>& what);
  void leave(std::uint64_t id);

  const clocks& clock_;
  careful_runs runs_;
  std::unordered_map<std::uint64_t, known> of_;  // by the record's id
  std::map<const handling*, entrance> entrances_;
};

}  // namespace detent::durable::detail
