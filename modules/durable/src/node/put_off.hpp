// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

namespace detent::durable::detail {

// Changes that the store could not carry out yet, because the part of the store that has the shard does not answer, or
// because a transaction of the program's own holds the timer. All later changes of that shard or key wait behind them.
// Used by the thread that talks to the store.
class put_off {
 public:
  using queue = std::deque<pending_change>;

  // Returns why the change must wait behind others, or `nothing`.
  put_off_by holds_up(const pending_change& one) const noexcept;
  // Adds it at the end.
  void add(pending_change&& one, put_off_by why);
  // Takes all changes that are to be tried again. The caller sends as many as it can, adds those that must still wait,
  // and returns the rest by rejoin(). The rest goes in front of the changes that wait for transactions, so that no
  // number of those can hold up the others.
  queue take_all();
  void rejoin(queue&& rest);
  // Calls `then`, which may move from its argument, for each change for which `is_over` returns true.
  template <class Condition, class F>
  void erase_if(const Condition& is_over, const F& then) {
    std::erase_if(all_, [&](pending_change& one) {
      if (!is_over(std::as_const(one))) return false;
      count(one, -1);
      then(one);
      return true;
    });
  }

  queue& all() noexcept { return all_; }
  const queue& all() const noexcept { return all_; }
  std::size_t ends() const noexcept { return ends_; }
  std::size_t operations() const noexcept { return all_.size() - ends_; }
  bool waits_for_part() const noexcept { return !shards_.empty(); }

 private:
  void count(const pending_change& one, int by);

  queue all_;
  std::unordered_map<std::size_t, std::size_t> shards_, keys_;  // how many changes wait for each
  std::size_t ends_ = 0;
};

}  // namespace detent::durable::detail
