// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"
#include "careful.hpp"
#include "run.hpp"

#include <detent/durable_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

namespace detent::durable::detail {

class writer;

// A careful run that is marked in the store.
struct marked {
  std::shared_ptr<run> what;
  bool starts = false;
  bool stays = false;  // it was to start, and does not: the mark is as it was before
};

// The careful runs of this node: marks them, then starts them, or gives them up. By the thread that talks to the store.
class trials {
 public:
  explicit trials(const clocks& by) noexcept : clock_(by) {}

  void due(const std::shared_ptr<run>& what);
  void begun(const run& what);
  // It does not go on, whether or not it was careful.
  void over(const run& what);
  // The store has the mark; or will not have it, as the timer is another one by now, or the term is over.
  void settled(const marked& what, bool stored);

  void work(writer& by);
  // The node ends: those that are marked and wait for their turn do not start, and leave no mark.
  void withdraw(writer& by);
  // By elapsed().
  std::chrono::nanoseconds wakes_at() const noexcept { return runs_.wakes_at(); }

 private:
  struct known {
    std::weak_ptr<run> what;
    const handling* by;
  };
  // Of a handler with a limit, only as many are let in as it may run: others would wait for it in the place of runs of
  // other handlers.
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
